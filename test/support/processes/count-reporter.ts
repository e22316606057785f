import type { Reporter, TestModule } from "vitest/node";
import { noBrowser } from "../browser.js";
import { noRedis } from "../stores/redis.js";
import { noCompiler } from "./compiler.js";
import { noHelm, noImageTools } from "./deployment-tools.js";
import { noHistory } from "./previous-version.js";

/** What a machine may lack, and what is not tested then. */
const missing = [
  ...(noRedis ? ["No redis-server or valkey-server: what replicas share was not tested."] : []),
  ...(noBrowser ? ["No Chromium: the pages were not tested in a browser."] : []),
  ...(noHistory ? ["No history of the project: the upgrade from the version before was not tested."] : []),
  ...(noCompiler ? ["No C compiler, or not Linux: the engine's extension was not tested."] : []),
  ...(process.arch === "x64" ? [] : ["Not x64: the engine's own matrix products were not tested, nor used."]),
  ...(noHelm ? ["No helm: the chart's stored manifests were checked, but not rendered again."] : []),
  ...(noImageTools ? ["No buildah, podman and mmdebstrap, or not root: the image was not built."] : []),
];

/** What no machine can install, and what costs minutes and privileges that CI does not have. */
const excused = [
  ...(noHistory ? ["/rolling-upgrade.test.ts", "/rolling-upgrade-load.test.ts"] : []),
  ...(process.arch === "x64" ? [] : ["/native-kernels.test.ts"]),
  ...(noHelm ? ["/deploy-chart.test.ts"] : []),
  ...(noImageTools ? ["/deploy-image.test.ts"] : []),
];
const isExcused = (place: string) => excused.some((name) => place.endsWith(name));

/**
 * Closes every run with one plain line that says how many tests really ran, and before it what was skipped and why.
 * With `SOTTO_TEST_SKIPS=fail`, as in CI, a run that has skipped anything has failed, but for what is excused above.
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
