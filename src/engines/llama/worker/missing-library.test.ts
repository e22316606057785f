import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bindingLibrary } from "../binding-package.js";
import { whyUnloadable } from "./missing-library.js";

it("names the library that the binding misses", () => {
  const binding = bindingLibrary("cpu");
  if (binding === null) throw new Error("the binding is not installed");
  const folder = mkdtempSync(join(tmpdir(), "sotto-binding-"));
  try {
    // Alone, without the libraries that lie beside it.
    const copy = join(folder, "llama-addon.node");
    copyFileSync(binding, copy);
    expect(whyUnloadable(copy)).toMatch(/^lib[\w.-]+\.so[\w.]*: cannot open shared object file/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
