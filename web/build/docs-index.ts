/**
 * `virtual:docs-index`: every part of the documentation with its heading, its address and its text, for the search.
 * The pages are rendered as the browser would render them, so that what is found is what is shown; texts that come from
 * tables and from the OpenAPI document are in it, too. A part begins at an element with an id.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vite";
import { parse } from "yaml";
import type { DocsPart } from "../pages/docs/search/search.ts";
import type { renderDocs, RenderedPage } from "./render-docs.tsx";

const root = resolve(import.meta.dirname, "../..");
const name = "virtual:docs-index";

export function docsIndex(): Plugin {
  return {
    name: "docs-index",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: async (id) =>
      id === `\0${name}` ? `export default ${JSON.stringify(await docsParts())}` : undefined,
  };
}

export async function docsParts(): Promise<DocsPart[]> {
  // Inside of the repository, so that it finds the packages.
  const outfile = join(root, `dist/.docs-${process.pid}.mjs`);
  mkdirSync(join(root, "dist"), { recursive: true });
  try {
    await build({
      entryPoints: [join(import.meta.dirname, "render-docs.tsx")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      jsx: "automatic",
      // Code samples ask where the page is; they are left out of the index.
      define: { location: "pageLocation" },
      banner: { js: 'const pageLocation = { origin: "" };' },
    });
    const program = (await import(pathToFileURL(outfile).href)) as { renderDocs: typeof renderDocs };
    const openApi: unknown = parse(readFileSync(join(root, "docs/openapi.yaml"), "utf8"));
    return (await program.renderDocs(openApi)).flatMap(partsOf);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** Ids of tabs and panels are made by their library. */
const partStart = /<(h2|h3|li|div)(?=[^>]* id="((?!radix)[\w./-]+)")[^>]*>/g;

function partsOf({ title, address, html }: RenderedPage): DocsPart[] {
  // Code, controls, and what an operation may answer, which is the same for most of them.
  const page = html.replaceAll(/<(pre|button|label|select|details|script|template)\b[\s\S]*?<\/\1>/g, " ");
  const starts = [...page.matchAll(partStart)];
  const first = { page: title, heading: title, address, text: textOf(page.slice(0, starts[0]?.index)) };
  let section = "";
  const others = starts.map((start, position) => {
    const [tag, element, id = ""] = start;
    const body = page.slice(start.index + tag.length, starts[position + 1]?.index);
    // A heading's own text; of a row in a list, the name that it begins with.
    const isHeading = element?.startsWith("h") === true;
    const [heading = "", ...rest] = isHeading ? body.split(`</${element}>`) : split(body);
    if (isHeading) section = textOf(heading);
    const place = isHeading || section === "" ? title : `${title}, ${section}`;
    const text = textOf(rest.join(" "));
    return { page: place, heading: textOf(heading), address: `${address}#${id}`, text };
  });
  return [first, ...others].filter(({ heading }) => heading !== "");
}

/** After the first text in it. */
function split(body: string): string[] {
  const end = />[^<>]*[^<>\s][^<>]*</.exec(body);
  if (end === null) return [body];
  const at = end.index + end[0].length - 1;
  return [body.slice(0, at), body.slice(at)];
}

const entities = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#x27;", "'"],
]);

const textOf = (html: string): string =>
  html
    .replaceAll("</a><a", "</a> <a")
    .replaceAll(/<\/?(?:p|li|ul|ol|h\d|div|section|dt|dd|dl|td|tr|details|summary|span)\b[^>]*>/g, " ")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&[#\w]+;/g, (entity) => entities.get(entity) ?? " ")
    .replaceAll(/\s+/g, " ")
    .trim();
