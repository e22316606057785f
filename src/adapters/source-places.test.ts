import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { withSourcePlaces } from "./source-places.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-places-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("names the source of a place in a built file", async () => {
  const outfile = join(folder, "built.js");
  const contents = "const unused = 1;\n\nexport function fail() {\n  throw new Error();\n}\n";
  await build({
    stdin: { contents, sourcefile: "src/fail.ts", resolveDir: folder },
    outfile,
    format: "esm",
    bundle: true,
    minifyWhitespace: true,
    sourcemap: "linked",
  });
  const column = readFileSync(outfile, "utf8").indexOf("new Error") + 1;
  const frame = `at fail (${pathToFileURL(outfile).href}:1:${column})`;
  expect(withSourcePlaces(frame)).toBe("at fail (src/fail.ts:4:9)");
});

it("leaves a place alone that no source map knows", () => {
  const frame = "at run (file:///nowhere/at/all.js:3:7)";
  expect(withSourcePlaces(frame)).toBe(frame);
});
