/** Looks for marked text in texts and files. */
import { readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { MarkSearch } from "../../src/core/proof/marks.js";

export { newMark as newCanary } from "../../src/core/proof/marks.js";

export interface Finding {
  place: string;
  form: string;
}

/** Whether a file is left out. */
export type Skip = (path: string, file: Stats) => boolean;

/** Where one of the canaries stands in these texts and in the files below these folders. */
export function findCanary(
  canary: string | readonly string[],
  texts: Readonly<Record<string, string>>,
  folders: readonly string[],
  skip: Skip = () => false,
): Finding[] {
  const search = new MarkSearch([canary].flat());
  const places = [
    ...Object.entries(texts).map(([place, text]): [string, Buffer] => [place, Buffer.from(text)]),
    ...folders.flatMap((folder) => filesBelow(folder, skip)),
  ];
  return places.flatMap(([place, bytes]) => {
    const forms = new Map(search.in(bytes).map(({ mark, form }) => [`${mark} ${form}`, form]));
    return [...forms.values()].map((form) => ({ place, form }));
  });
}

/** The clock that a file's times are taken from goes in steps of up to 10 ms. */
const clockStepMs = 100;

/**
 * Which files were written to since the last search. Databases have hundreds that were not, and they hold nothing
 * new.
 */
export class SearchedFiles {
  readonly #searchedMs = new Map<string, number>();

  /** From its second call for a file on: whether it is as it was at the last one. */
  isUnchanged(path: string, { mtimeMs, ctimeMs }: Stats): boolean {
    const searchedMs = this.#searchedMs.get(path) ?? -Infinity;
    this.#searchedMs.set(path, Date.now());
    return Math.max(mtimeMs, ctimeMs) < searchedMs - clockStepMs;
  }
}

function filesBelow(folder: string, skip: Skip): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const path = join(folder, name);
    const file = statSync(path, { throwIfNoEntry: false });
    if (file?.isFile() !== true || skip(path, file)) return [];
    const bytes = bytesOf(path);
    return bytes === null ? [] : [[path, bytes]];
  });
}

/** Null for a file that is gone meanwhile: databases remove some of theirs while they run. */
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
