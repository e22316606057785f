/**
 * The sections of the documentation, read from its sources when the dashboard is built: a list by hand would be out of
 * date with the next heading. Relies on how these files are written: pages in docs-pages.ts with `slug` and `import`,
 * headings as `<Section id="…" title="…">`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocsSection } from "./find/docs-section.ts";

const folder = join(import.meta.dirname, "pages/docs");

export function scanDocs(): DocsSection[] {
  const pages = readFileSync(join(folder, "docs-pages.ts"), "utf8");
  return [...pages.matchAll(/slug: "([^"]*)",[^{}]*?import\("([^"]+)"\)/g)].flatMap(
    ([, slug = "", file = ""]) =>
      sectionsOf(readFileSync(join(folder, file), "utf8")).map((section) => ({ slug, ...section })),
  );
}

function sectionsOf(source: string): { id: string; title: string }[] {
  return [...source.matchAll(/<Section\s+id="([^"]+)"\s+title="([^"]+)"/g)].map(
    ([, id = "", title = ""]) => ({
      id,
      title,
    }),
  );
}
