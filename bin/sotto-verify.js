#!/usr/bin/env node
/** Starts the verifier, which is built as one file: it can be copied anywhere and run with Node alone. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/verify.js", import.meta.url);
if (!existsSync(fileURLToPath(built))) {
  process.stderr.write("The verifier is not built. Run: npm run build\n");
  process.exit(2);
}
await import(built);
