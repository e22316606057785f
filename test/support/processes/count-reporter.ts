import type { Reporter, TestModule } from "vitest/node";

/** Closes every run with one plain line that says how many tests really ran, and lines that say which files did not. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const skipped = modules.filter((module) => module.state() === "skipped");
    if (skipped.length > 0) {
      const names = skipped.map(({ relativeModuleId }) => `  ${relativeModuleId}`).join("\n");
      console.log(`\n!!! SKIPPED, nothing in these files ran:\n${names}`);
    }
    console.log(
      `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    );
  }
}
