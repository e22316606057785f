import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindingVersion } from "../../binding-package.js";
import { anyLibrary, keepLibrary, ownLibrary, removeLibrary } from "./own-library.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sotto-library-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const description = {
  backend: "cuda",
  from: "built",
  made: "for CUDA architecture 90-real",
  at: "2026-01-31T09:05:00.000Z",
} as const;

const keep = (content: string) => {
  const built = join(dataDir, "built");
  writeFileSync(built, content);
  return keepLibrary(dataDir, description, built);
};

describe("a GPU library of this machine", () => {
  it("is found once it is complete, with what it was made for", () => {
    expect(ownLibrary(dataDir, "cuda")).toBeNull();
    const kept = keep("one");
    expect(ownLibrary(dataDir, "cuda")).toEqual(kept);
    expect(kept).toMatchObject({ ...description, binding: bindingVersion() });
    expect(readFileSync(kept.file, "utf8")).toBe("one");
    expect(ownLibrary(dataDir, "vulkan")).toBeNull();
  });

  it("stays what it was when the next one cannot be put in its place", () => {
    const kept = keep("one");
    expect(() => keepLibrary(dataDir, description, join(dataDir, "missing"))).toThrow("ENOENT");
    expect(ownLibrary(dataDir, "cuda")).toEqual(kept);
    expect(existsSync(`${kept.folder}.new`)).toBe(false);
    expect(readFileSync(keep("two").file, "utf8")).toBe("two");
  });

  it("is not used with another version of the engine", () => {
    const { folder } = keep("one");
    const file = join(folder, "library.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(bindingVersion(), "0.0.1"));
    expect(ownLibrary(dataDir, "cuda")).toBeNull();
    expect(anyLibrary(dataDir, "cuda")).toMatchObject({ binding: "0.0.1" });
  });

  it("is gone after its removal", () => {
    keep("one");
    expect(removeLibrary(dataDir, "cuda")).toBe(true);
    expect(ownLibrary(dataDir, "cuda")).toBeNull();
    expect(removeLibrary(dataDir, "cuda")).toBe(false);
  });
});
