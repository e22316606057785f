/** Looks for marked text in every form it could have been written in. */
import { readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

export interface Finding {
  place: string;
  form: string;
}

/** Whether a file is left out. */
export type Skip = (path: string, file: Stats) => boolean;

/** A text that occurs nowhere else: letters for the plain forms, others for the escaped ones. */
export function newCanary(): string {
  const random = crypto.randomUUID().replaceAll("-", "");
  return `canary${random}üïé漢🙂`;
}

/** Where one of the canaries stands in these texts and in the files below these folders. */
export function findCanary(
  canary: string | readonly string[],
  texts: Readonly<Record<string, string>>,
  folders: readonly string[],
  skip: Skip = () => false,
): Finding[] {
  const groups = groupsOf([canary].flat().flatMap((one) => formsOf(one)));
  const places = [
    ...Object.entries(texts).map(([place, text]): [string, Buffer] => [place, Buffer.from(text)]),
    ...folders.flatMap((folder) => filesBelow(folder, skip)),
  ];
  return places.flatMap(([place, bytes]) =>
    groups
      .filter(({ beginning }) => bytes.includes(beginning))
      .flatMap(({ forms }) => forms.filter(({ needle }) => bytes.includes(needle)))
      .map(({ form }) => ({ place, form })),
  );
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

interface Form {
  form: string;
  needle: Buffer;
}

interface Group {
  beginning: Buffer;
  forms: Form[];
}

/** What all canaries of one form begin with: a hundred of them are looked for as fast as one. */
const beginningBytes = 6;

/** Where the beginning is not, none of the group is. */
function groupsOf(forms: readonly Form[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of forms) {
    const beginning = one.needle.subarray(0, beginningBytes);
    const group = groups.get(beginning.toString("hex")) ?? { beginning, forms: [] };
    groups.set(beginning.toString("hex"), group);
    group.forms.push(one);
  }
  return [...groups.values()];
}

function formsOf(canary: string): Form[] {
  const plain = canary.replace(/[^\x20-\x7e]/gu, "");
  const bytes = Buffer.from(plain);
  const escaped = Array.from(canary)
    .flatMap((character) => [...Array(character.length).keys()].map((index) => character.charCodeAt(index)))
    .map((unit) => (unit < 128 ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`))
    .join("");
  const ascii = (form: string, text: string) => ({ form, needle: Buffer.from(text) });
  return [
    ascii("plain", plain),
    ascii("upper case", plain.toUpperCase()),
    ascii("hex", bytes.toString("hex")),
    ascii("upper-case hex", bytes.toString("hex").toUpperCase()),
    ascii("JSON-escaped", escaped.slice(plain.length)),
    ascii("URL-encoded", encodeURIComponent(canary.slice(plain.length))),
    { form: "UTF-16", needle: Buffer.from(plain, "utf16le") },
    ...[0, 1, 2].map((offset) => ascii(`base64 at ${offset}`, base64At(bytes, offset))),
    // Text that is all ASCII has no escaped forms.
  ].filter(({ needle }) => needle.length > 0);
}

/** Base64 reads three bytes at a time, so the same text looks different at each of three offsets. */
function base64At(bytes: Buffer, offset: number): string {
  const start = (3 - offset) % 3;
  const whole = Math.floor((bytes.length - start) / 3) * 3;
  return bytes.subarray(start, start + whole).toString("base64");
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
