import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorTable } from "../../src/core/errors.js";
import { docsParts } from "../build/docs-index.ts";
import { docsAddress, docsPages } from "../pages/docs/docs-pages.ts";
import { docsPlaces } from "./places.tsx";

describe("what is found of the documentation", async () => {
  const parts = await docsParts();
  const addresses = parts.map(({ address }) => address);
  const found = (query: string) => docsPlaces(parts, query, 6);

  it("is every page, every section and every error code, each once", () => {
    const sources = readdirSync("web/pages/docs", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".tsx"))
      .map((file) => readFileSync(join("web/pages/docs", file), "utf8"));
    const written = sources.flatMap((source) =>
      [...source.matchAll(/<Section\s+id="([^"]+)"/g)].map(([, id = ""]) => id),
    );
    expect(written.length).toBeGreaterThan(20);
    for (const id of written)
      expect(
        addresses.some((address) => address.endsWith(`#${id}`)),
        id,
      ).toBe(true);
    for (const page of docsPages) expect(addresses).toContain(docsAddress(page));
    for (const code of Object.keys(errorTable)) expect(addresses).toContain(`/docs/errors#${code}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it("is a section by its heading, an error by its code and an operation by its path", () => {
    expect(found("when a limit is reached")[0]).toMatchObject({
      ...{ title: "When a limit is reached", note: "Limits", href: "/docs/limits#exceeded" },
    });
    expect(found("rate_limit_exc")[0]).toMatchObject({ href: "/docs/errors#rate_limit_exceeded" });
    expect(found("/v1/models").map(({ note }) => note)).toContain("GET /v1/models");
  });

  it("is what is found first, and no more than is shown", () => {
    expect(docsPlaces(parts, "key", 2)).toHaveLength(2);
    expect(docsPlaces(parts, "", 2)).toEqual([]);
  });
});
