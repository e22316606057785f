import { existsSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest start first, so that the run does not end with all of it waiting for one of them.
 * Vitest knows how long they took the last time, but nothing on a fresh clone, where large files would come first.
 */
const slowest = [
  // Of the default suite.
  "test/model/starter.test.ts",
  "test/faults/shutdown.test.ts",
  "test/faults/engine/engine-dies.test.ts",
  "test/browser/journey.test.ts",
  "test/contract/engines/engine-llama.test.ts",
  "test/contract/store/dashboard-sqlite.test.ts",
  "test/api/schemas.test.ts",
  // Of the deep one.
  "test/browser/accessibility-opened.test.ts",
  "test/api/ollama/ollama-fuzz.test.ts",
  "test/browser/accessibility.test.ts",
  "test/privacy/canary.test.ts",
  "test/contract/engines/engine-llama-tools.test.ts",
  "test/browser/layout.test.ts",
  "test/contract/store/store-postgres.test.ts",
  "test/api/tasks-fuzz.test.ts",
  "test/model/starter-weights.test.ts",
  "test/privacy/privacy-check.test.ts",
  "test/browser/layout-shift.test.ts",
  "test/contract/engines/engine-llama-extension.test.ts",
  "src/engines/structured-output/json-schema/compile-fuzz.test.ts",
  "test/faults/engine/on-demand.test.ts",
  "test/api/images-fuzz.test.ts",
  "test/faults/engine/gpu.test.ts",
  "test/faults/processes.test.ts",
  "test/browser/site.test.ts",
  "test/contract/engines/engine-llama-formats.test.ts",
  "test/browser/keyboard-organisation.test.ts",
  "test/api/completions-fuzz.test.ts",
  "test/browser/everyday/find.test.ts",
  "test/api/encrypted-fuzz.test.ts",
  "test/package.test.ts",
  "test/faults/replicas/rolling-upgrade-load.test.ts",
  "src/engines/structured-output/json-schema/zoo.test.ts",
  "test/browser/figures.test.ts",
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = slowest.filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`slow-first.ts names files that do not exist: ${gone.join(", ")}`);
    const place = (file: TestSpecification) => {
      const listed = slowest.indexOf(relative(this.ctx.config.root, file.moduleId).replaceAll("\\", "/"));
      return listed === -1 ? slowest.length : listed;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
