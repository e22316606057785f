import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configurationPage, errorsPage } from "../scripts/reference-pages.js";

describe("documentation", () => {
  it("docs/configuration.md says what src/config.ts says (npm run docs)", async () => {
    expect(readFileSync("docs/configuration.md", "utf8")).toBe(await configurationPage());
  });

  it("docs/errors.md says what src/protocol/errors.ts says (npm run docs)", async () => {
    expect(readFileSync("docs/errors.md", "utf8")).toBe(await errorsPage());
  });
});
