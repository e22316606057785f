import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, type BrotliOptions, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { noteBundled } from "./build/bundled-packages.js";
import { chunkGroups } from "./build/chunks.ts";
import { docsIndex } from "./build/docs-index.ts";
import { noCycles } from "./build/no-cycles.ts";
import { routeHints } from "./build/route-hints.ts";

/** Builds the dashboard into dist/web, which the service serves as it is. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  plugins: [
    react(),
    tailwindcss(),
    docsIndex(),
    preloadFonts(),
    routeHints(),
    noCycles(),
    compress(),
    bundled(),
  ],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy allows fonts and styles from this origin only, never from data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups },
      },
      onLog: (level, log, report) => {
        // Comments of zod that mention an annotation.
        if (log.code !== "INVALID_ANNOTATION") report(level, log);
      },
    },
  },
});

/** Preloads the fonts of text and code along with the styles, so that no line breaks elsewhere when one arrives. */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    transformIndexHtml(_html, { bundle }) {
      const fonts = Object.keys(bundle ?? {}).filter((name) => /-latin-(opsz|wght).*\.woff2$/.test(name));
      return fonts.map((font) => ({
        tag: "link",
        attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/${font}`, crossorigin: "" },
        injectTo: "head",
      }));
    },
  };
}

/** Writes compressed versions beside each script and style, which the service sends as they are. */
function compress(): Plugin {
  return {
    name: "compress",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const files = Object.values(bundle).filter(({ fileName }) => /\.(js|css|html)$/.test(fileName));
      await Promise.all(
        files.map(async (file) => {
          const content = file.type === "chunk" ? file.code : file.source;
          const name = join(dir, file.fileName);
          const [br, gz] = await Promise.all([
            brotli(content, { params: quality }),
            zip(content, { level: 9 }),
          ]);
          await Promise.all([writeFile(`${name}.br`, br), writeFile(`${name}.gz`, gz)]);
        }),
      );
    },
  };
}

/** Notes the packages of the pages: of scripts, fonts and styles. */
function bundled(): Plugin {
  return {
    name: "bundled-packages",
    apply: "build",
    writeBundle({ dir = "" }, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === "chunk"
          ? file.moduleIds
          : file.originalFileNames.map((name) => join(import.meta.dirname, name)),
      );
      const styles = readFileSync(join(import.meta.dirname, "styles.css"), "utf8");
      const imported = [...styles.matchAll(/^@import "([^".]+)"/gm)].map(([, name]) =>
        join(import.meta.dirname, `../node_modules/${name}/index.css`),
      );
      noteBundled(join(dir, "../bundled-pages.txt"), [...files, ...imported]);
    },
  };
}

/** One less than the best: two per cent more bytes in less than half of the time. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 10 };
const brotli = promisify<string | Uint8Array, BrotliOptions, Buffer>(brotliCompress);
const zip = promisify<string | Uint8Array, { level: number }, Buffer>(gzip);
