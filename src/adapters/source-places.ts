/**
 * Names the sources in a stack trace of the built program, whose few files say nothing to a reader. Source maps are
 * read when the first unexpected error is logged: reading them at every start would double its time.
 */
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

const maps = new Map<string, SourceMap | null>();

/** The frames with every place that a source map knows as `src/core/…ts:line:column`. */
export function withSourcePlaces(frames: string): string {
  return frames.replaceAll(/(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g, (place, file: string, line, column) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return place;
    const source = entry.originalSource.replace(/^(\.\.\/)+/, "");
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(file);
  maps.set(file, map);
  return map;
}

function readMap(file: string): SourceMap | null {
  try {
    const text = readFileSync(fileURLToPath(`${file}.map`), "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    // A file of a package, or an installation without source maps.
    return null;
  }
}
