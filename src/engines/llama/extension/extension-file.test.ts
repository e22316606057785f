import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../config.js";
import { bindingVersion } from "../binding-package.js";
import { librariesFolder } from "../gpu/library/own-library.js";
import { ToolError } from "../gpu/library/run-tool.js";
import { compileExtension } from "./compile-extension.js";
import { extensionFile, extensionName } from "./extension-file.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sotto-extension-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const found = (env: Record<string, string> = {}) =>
  extensionFile(loadConfig({ env: { SOTTO_DATA_DIR: dataDir, ...env } }));

/** Built elsewhere: only that it is there counts. */
function place(version: string): string {
  const path = join(librariesFolder(dataDir), extensionName(version) ?? "none");
  mkdirSync(librariesFolder(dataDir), { recursive: true });
  writeFileSync(path, "");
  return path;
}

describe.skipIf(extensionName() === null)("the extension's file", () => {
  it("is found in the data directory, unless it is switched off", () => {
    const file = place(bindingVersion());
    expect(found()).toBe(file);
    expect(found({ SOTTO_ENGINE_EXTENSION: "off" })).toBeUndefined();
  });

  it("is not one for another version of the binding", () => {
    expect(found()).not.toBe(place("0.0.1"));
  });

  it("is not compiled again while it is newer than its source", async () => {
    const file = place(bindingVersion());
    const run = () => Promise.reject(new ToolError("unexpected"));
    expect(await compileExtension(librariesFolder(dataDir), run)).toBe(file);
  });

  it("leaves nothing behind when it cannot be compiled", async () => {
    const run = () => Promise.reject(new ToolError("There is no 'cc' here."));
    await expect(compileExtension(dataDir, run)).rejects.toThrow(ToolError);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
