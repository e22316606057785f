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
  "test/privacy/canary.test.ts",
  "test/browser/accessibility-opened.test.ts",
  "test/contract/engines/engine-llama-tools.test.ts",
  "test/browser/accessibility.test.ts",
  "src/engines/structured-output/json-schema/compile-fuzz.test.ts",
  "test/browser/layout.test.ts",
  "test/faults/engine/gpu.test.ts",
  "test/browser/layout-shift.test.ts",
  "test/faults/engine/on-demand.test.ts",
  "test/browser/everyday/find.test.ts",
  "test/contract/engines/engine-llama-formats.test.ts",
  "test/browser/figures.test.ts",
  "test/contract/store/store-postgres.test.ts",
  "test/browser/site.test.ts",
  "test/faults/engine/model-change.test.ts",
  "test/faults/store/redis-unreachable.test.ts",
  "test/model/starter-weights.test.ts",
  "test/browser/dashboard/page-layout.test.ts",
  "test/faults/replicas/replica-killed.test.ts",
  "test/faults/start.test.ts",
  "test/faults/store/usage-waits.test.ts",
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
