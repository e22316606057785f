import { configDefaults, defineConfig } from "vitest/config";
import SlowFirst from "./test/support/processes/slow-first.js";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
    // They need programs that are not on every machine, and have a command of their own: npm run test:llama-server.
    exclude: [...configDefaults.exclude, "test/real/**"],
    globalSetup: ["test/support/processes/run-folder.ts", "test/support/processes/build.ts"],
    // Native engines and databases live in their own processes; test files do too, so that none can leak into another.
    pool: "forks",
    // For two cores. Two files keep them busy only while neither waits for a page, a timer or another process;
    // many more at once would make those time out that wait for an engine.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", "./test/support/processes/count-reporter.ts"],
  },
});
