import { describe, expect, it } from "vitest";
import { search, type DocsPart } from "./search.ts";

const part = (page: string, heading: string, text: string): DocsPart => ({
  ...{ page, heading, text },
  address: `/docs/${page.toLowerCase()}#${heading.toLowerCase()}`,
});
const parts = [
  part("Errors", "429 Rate limited", "Wait for the time in Retry-After, then retry."),
  part("Limits", "Retrying", "Every 429 carries Retry-After in whole seconds."),
  part(
    "Streaming",
    "Token counts",
    `Ask for them. ${"The count is long. ".repeat(20)}At last: include_usage.`,
  ),
];
const found = (query: string) => search(parts, query).map(({ heading }) => heading);

describe("the documentation's search", () => {
  it("asks for every word, in any order and case", () => {
    expect(found("retry-after WAIT")).toEqual(["429 Rate limited"]);
    expect(found("retry-after nowhere")).toEqual([]);
    expect(found("   ")).toEqual([]);
  });

  it("puts headings before pages, and pages before text", () => {
    expect(found("429")).toEqual(["429 Rate limited", "Retrying"]);
    expect(found("limit")).toEqual(["429 Rate limited", "Retrying"]);
  });

  it("finds what is typed so far", () => {
    expect(found("includ")).toEqual(["Token counts"]);
  });

  it("shows the text around what was found, cut between words", () => {
    const [hit] = search(parts, "include_usage");
    expect(hit?.excerpt).toMatch(/^… .*At last: include_usage\.$/);
    expect(hit?.excerpt.length).toBeLessThan(150);
    expect(search(parts, "long")[0]?.excerpt).toMatch(/^Ask for them\. .* …$/);
  });

  it("takes nothing for a pattern", () => {
    expect(found(".*")).toEqual([]);
    expect(found("(")).toEqual([]);
  });
});
