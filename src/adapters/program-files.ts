/**
 * Where the program's own files are. It runs in two layouts: from its sources, where this module is in src/adapters/,
 * and built, where every file of it is directly in dist/ (scripts/build.js).
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

export const runsFromSources = import.meta.url.endsWith(".ts");

/** A file of the package, by its path from the package's folder. */
export const packageFile = (path: string): URL =>
  new URL(`${runsFromSources ? "../../" : "../"}${path}`, import.meta.url);

/** The program of a thread or a child process, by the path of its source from src/, without the ending. */
export const programFile = (source: string): URL =>
  runsFromSources
    ? new URL(`../${source}.ts`, import.meta.url)
    : new URL(`./${basename(source)}.js`, import.meta.url);

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  return version;
}
