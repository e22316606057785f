/**
 * Writes `route-hints.json` beside the pages: for each address the files that its page loads. The service puts them
 * into the page's HTML, so that a browser requests all of them at once instead of discovering them one after the
 * other. The addresses are parsed from the source of routes.ts and docs-pages.ts: executing those would load every
 * page.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin, Rollup } from "vite";

const web = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(web, path), "utf8");

export function routeHints(): Plugin {
  return {
    name: "route-hints",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const loaded = new Set(
        chunks.filter((chunk) => chunk.isEntry).flatMap((entry) => closure(bundle, entry)),
      );
      const filesOf = (modules: readonly string[]): string[] => {
        const needed = modules.flatMap((module) => {
          const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(join(web, module)));
          return chunk === undefined ? [] : closure(bundle, chunk);
        });
        return [...new Set(needed)].filter((file) => !loaded.has(file)).map((file) => `/${file}`);
      };
      const hints = Object.fromEntries(modulesByAddress().map(([path, modules]) => [path, filesOf(modules)]));
      this.emitFile({ type: "asset", fileName: "route-hints.json", source: JSON.stringify(hints) });
    },
  };
}

/** The source files that each address needs, without those that all of them need. */
function modulesByAddress(): [path: string, modules: string[]][] {
  const routes = read("routes.ts").matchAll(
    /path: "([^"]+)",\s*layout: "(\w+)"[^}]*?import\("\.\/([^"]+)"\)/g,
  );
  return [...routes].flatMap(([, path = "", layout = "", page = ""]): [string, string[]][] => {
    const shell = layout === "app" || layout === "admin" ? ["layouts/app-layout.tsx"] : [];
    if (!path.startsWith("/docs/:")) return [[path, [...shell, page]]];
    const pages = read("pages/docs/docs-pages.ts").matchAll(
      /page\("\w+", "([^"]*)", .*?import\("\.\/([^"]+)"\)/g,
    );
    return [...pages].map(([, slug = "", content = ""]) => [
      slug === "" ? "/docs" : `/docs/${slug}`,
      [page, `pages/docs/${content}`],
    ]);
  });
}

/** A chunk, everything it imports before it can run, and their styles. */
function closure(bundle: Rollup.OutputBundle, first: Rollup.OutputChunk): string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    const file = bundle[name];
    if (file?.type !== "chunk" || found.has(name)) return;
    found.add(name);
    for (const style of file.viteMetadata?.importedCss ?? []) found.add(style);
    file.imports.forEach(add);
  };
  add(first.fileName);
  return [...found];
}
