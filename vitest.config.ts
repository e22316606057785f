import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
    // They need programs that are not on every machine, and have a command of their own: npm run test:llama-server.
    exclude: [...configDefaults.exclude, "test/real/**"],
    globalSetup: ["test/support/processes/build.ts"],
    // Native engines and databases live in their own processes; test files do too, so that none can leak into another.
    pool: "forks",
    // Two cores: more at once only makes the ones that wait for an engine time out.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", "./test/support/processes/count-reporter.ts"],
  },
});
