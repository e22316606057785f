/** What nearly every browser test begins with: the service with its built pages, and a browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "../../support/browser.js";
import {
  startDashboard,
  type TestDashboard,
  type TestDashboardOptions,
} from "../../support/processes/dashboard-server.js";

export interface Stage {
  readonly dashboard: TestDashboard;
  readonly browser: Browser;
  /** The service's address. */
  readonly url: string;
}

/** For all tests of a file: started before the first of them, furnished, and closed after the last. */
export function setStage(
  furnish?: (dashboard: TestDashboard) => Promise<unknown>,
  options: TestDashboardOptions = {},
): Stage {
  let started: { dashboard: TestDashboard; browser: Browser } | undefined;
  const parts = () => {
    if (started === undefined) throw new Error("The service is started before the first test, not earlier.");
    return started;
  };
  beforeAll(async () => {
    const [dashboard, browser] = await Promise.all([
      startDashboard({ webDir: "dist/web", ...options }),
      launchBrowser(),
    ]);
    started = { dashboard, browser };
    await furnish?.(dashboard);
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.dashboard.close();
  });
  return {
    get dashboard() {
      return parts().dashboard;
    },
    get browser() {
      return parts().browser;
    },
    get url() {
      return parts().dashboard.url;
    },
  };
}
