import type { Reporter, TestModule } from "vitest/node";
import { noBrowser } from "../browser.js";
import { noRedis } from "../stores/redis.js";
import { noHistory } from "./previous-version.js";

/** What a machine may lack, and what is not tested then. */
const missing = [
  ...(noRedis ? ["No redis-server or valkey-server: what replicas share was not tested."] : []),
  ...(noBrowser ? ["No Chromium: the pages were not tested in a browser."] : []),
  ...(noHistory ? ["No history of the project: the upgrade from the version before was not tested."] : []),
];

const isExcused = (place: string) => noHistory && place.endsWith("/rolling-upgrade.test.ts");

/**
 * Closes every run with one plain line that says how many tests really ran, and before it what was skipped and why.
 * With `SOTTO_TEST_SKIPS=fail`, as in CI, a run that has skipped anything has failed, but for what needs the project's
 * history where the checkout has none: no machine can install that.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const places = new Set<string>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === "skipped") places.add(module.relativeModuleId);
      }
    }
    const skipped = counts.skipped + counts.pending;
    if (skipped > 0) {
      const reasons = missing.length > 0 ? missing.join(" ") : "This machine lacks something that they need.";
      console.log(`\n${skipped} tests skipped in ${[...places].join(", ")}. ${reasons}`);
      if (process.env.SOTTO_TEST_SKIPS === "fail" && ![...places].every(isExcused)) process.exitCode = 1;
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${skipped} skipped`);
  }
}
