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

  it("is not compiled again from the same source", async () => {
    const file = place(bindingVersion());
    const run = () => Promise.reject(new ToolError("unexpected"));
    expect(await compileExtension(librariesFolder(dataDir), run)).toBe(file);
  });

  it("takes the place of one that was built from other sources", async () => {
    const folder = librariesFolder(dataDir);
    const earlier = (extensionName() ?? "").replace(/[0-9a-f]{8}\.node$/, "00000000.node");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, earlier), "");
    writeFileSync(join(folder, "other.txt"), "");
    expect(found()).not.toBe(join(folder, earlier));
    const run = (_: string, { args }: { args: readonly string[] }) => {
      writeFileSync(args[args.indexOf("-o") + 1] ?? "", "");
      return Promise.resolve("");
    };
    const file = await compileExtension(folder, run);
    expect(file).toBe(found());
    expect(readdirSync(folder).sort()).toEqual([extensionName(), "other.txt"].sort());
  });

  it("leaves nothing behind when it cannot be compiled", async () => {
    const run = () => Promise.reject(new ToolError("There is no 'cc' here."));
    await expect(compileExtension(dataDir, run)).rejects.toThrow(ToolError);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
