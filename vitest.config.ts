import { defineConfig } from "vitest/config";
import SlowFirst from "./test/support/processes/slow-first.js";

/** Tests that change the process they run in, or run what is built. */
const ownProcess = [
  "src/engines/structured-output/grammars.test.ts",
  "src/engines/llama/worker/missing-library.test.ts",
  "src/models/gguf/check-weights.test.ts",
  "src/models/starter/merge.test.ts",
  "src/store/data-dir-error.test.ts",
  "src/store/sql/sqlite/thread-dialect.test.ts",
];

/** In `npm test` a sample, in the deep suite all of it (test/support/depth.ts). */
const inBoth = [
  "src/engines/chat-format/parser-of.test.ts",
  "src/engines/structured-output/json-schema/compile-fuzz.test.ts",
  "src/engines/structured-output/json-schema/zoo.test.ts",
  "src/engines/structured-output/calls/call-grammar.test.ts",
  "src/engines/llama/worker/reply/token-sampler.test.ts",
  "src/core/limits/quota-book.test.ts",
  "src/engines/llama/worker/prompt/prompt.test.ts",
  "src/engines/llama/worker/schedule/batcher-contexts.test.ts",
  "src/store/sql/address-index.test.ts",
  "test/dashboard/markdown.test.ts",
  "test/api/encrypted-fuzz.test.ts",
  "test/api/completions-fuzz.test.ts",
  "test/api/images-fuzz.test.ts",
  "test/api/fairness.test.ts",
  "test/api/schemas.test.ts",
  "test/api/tasks-fuzz.test.ts",
  "test/api/ollama/ollama-fuzz.test.ts",
  "test/contract/engines/native-kernels.test.ts",
  "test/contract/store/migrations/*.test.ts",
  "test/dashboard/admin/models.test.ts",
  "test/faults/shutdown.test.ts",
  "test/privacy/canary.test.ts",
];

/** In `npm test`, of folders that belong to the deep suite. */
const sampled = [
  "test/browser/journey.test.ts",
  "test/clients/{openai,anthropic}.test.ts",
  "test/faults/engine/engine-dies.test.ts",
  "test/faults/store/{full-disk,redis-gone}.test.ts",
  "test/model/starter.test.ts",
];

/** Only in the deep suite: whole folders, and what takes long in others. */
const deepFolders = "test/{browser,clients,faults,model,privacy}/**/*.test.ts";
const deepFiles = [
  "src/models/starter/merged-weights.test.ts",
  "test/api/images-upstream.test.ts",
  "test/api/real-engine/replies.test.ts",
  "test/cli/{apply-postgres,store-copy}.test.ts",
  "test/connect/snippets.test.ts",
  "test/contract/counters/counters-redis.test.ts",
  "test/deploy-image.test.ts",
  "test/contract/engines/engine-{llama-*,pool,vectors}.test.ts",
  "test/contract/store/{lock-order,*-postgres,*-processes,*-threads}.test.ts",
  "test/package.test.ts",
  "test/reproducible.test.ts",
  "test/support/**/*.test.ts",
  "test/web/{api-samples,snippets-apis}.test.ts",
];

const prepared = ["test/support/processes/build.ts", "test/support/browser.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/support/processes/run-folder.ts"],
    sequence: { sequencer: SlowFirst },
    // For two cores. Two files keep them busy only while neither waits for a page, a timer or another process.
    maxWorkers: 3,
    // Nothing takes that long but what has failed: a limit that a busy machine can exceed says nothing.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", "./test/support/processes/count-reporter.ts"],
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/web/**/*.test.ts", "test/*.test.ts"],
          exclude: [...ownProcess, ...deepFiles, "test/deploy.test.ts"],
          // In a few threads that load every module once.
          pool: "threads",
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: {
          name: "service",
          include: [
            "test/{api,cli,connect,contract,dashboard,support}/**/*.test.ts",
            "test/deploy.test.ts",
            ...ownProcess,
            ...sampled,
            ...inBoth.filter((path) => path.startsWith("test/")),
          ],
          exclude: deepFiles,
          globalSetup: prepared,
          pool: "forks",
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: {
          name: "deep",
          include: [deepFolders, ...deepFiles, ...inBoth],
          exclude: sampled,
          globalSetup: prepared,
          pool: "forks",
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
          // Most of its time it waits for pages, engines and servers.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
          env: { SOTTO_TEST_DEPTH: "deep" },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
