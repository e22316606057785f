import { defineConfig } from "vitest/config";

/** Tests on a real llama-server, which is not on every machine: `LLAMA_SERVER=… npm run test:llama-server`. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: ["test/real/require-program.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
