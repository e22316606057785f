import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extensionName } from "../../engines/llama/extension/extension-file.js";
import { extensionNotice } from "./extension-notice.js";

let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sotto-path-"));
  env = { PATH: ["/nonexistent", folder].join(delimiter) };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(extensionName() === null)("what the start says of the engine's extension", () => {
  it("is how to build it, where there is a compiler", () => {
    expect(extensionNotice({ extension: "on" }, undefined, env)).toBeNull();
    writeFileSync(join(folder, "cc"), "");
    expect(extensionNotice({ extension: "on" }, undefined, env)).toBe(
      "Replies are slower without the engine's extension. To build it, in seconds: sotto engine build extension, then restart.",
    );
  });

  it("is nothing where it is in use or switched off", () => {
    writeFileSync(join(folder, "cc"), "");
    expect(extensionNotice({ extension: "on" }, "engine-extension.node", env)).toBeNull();
    expect(extensionNotice({ extension: "off" }, undefined, env)).toBeNull();
  });
});
