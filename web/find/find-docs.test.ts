import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { docsPages } from "../pages/docs/docs-pages.ts";
import { scanDocs } from "../scan-docs.ts";

describe("the sections of the documentation that can be found", () => {
  const sections = scanDocs();

  it("are all there are", () => {
    const sources = readdirSync("web/pages/docs", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".tsx"))
      .map((file) => readFileSync(join("web/pages/docs", file), "utf8"));
    // Those of the errors page are made from the table of errors, and are found by their codes.
    const written = sources.reduce((sum, source) => sum + source.split(/<Section\s+id=/).length - 1, 0);
    expect(written).toBeGreaterThan(0);
    expect(sections).toHaveLength(written);
  });

  it("are each on a page that exists", () => {
    const slugs = docsPages.map(({ slug }) => slug);
    expect(sections.filter(({ slug }) => !slugs.includes(slug))).toEqual([]);
    expect(sections).toContainEqual({ slug: "limits", id: "exceeded", title: "When a limit is reached" });
  });
});
