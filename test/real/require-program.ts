import { accessSync, constants } from "node:fs";

/** Before the first test: without the program there is nothing to test, and that is a failure. */
export default function requireProgram(): void {
  programPath();
}

/** The llama-server to test against. */
export function programPath(): string {
  const path = process.env.LLAMA_SERVER ?? "";
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(
      "These tests need a llama-server: build one with `node scripts/build-llama-server.js <folder>`, " +
        "then run them with LLAMA_SERVER=<folder>/llama-server.",
    );
  }
}
