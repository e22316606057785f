import type { Reporter, TestModule } from "vitest/node";

/** Closes every run with one plain line that says how many tests really ran, and lines that say which did not, and why. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const notes: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state] += 1;
        if (result.state === "skipped" && result.note) notes.push(`${test.fullName}: ${result.note}`);
      }
    }
    const skipped = modules.filter((module) => module.state() === "skipped");
    if (skipped.length > 0) {
      const names = skipped.map(({ relativeModuleId }) => `  ${relativeModuleId}`).join("\n");
      console.log(`\n!!! SKIPPED, nothing in these files ran:\n${names}`);
    }
    for (const note of notes) console.log(`\n!!! SKIPPED: ${note}`);
    console.log(
      `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    );
  }
}
