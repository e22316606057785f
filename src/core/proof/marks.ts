/**
 * Texts that occur nowhere else, and the search for them in every form in which a program might have written them.
 *
 * All marks of one form begin alike, so that a hundred of them are found as fast as one: the search looks for that
 * beginning, and only where it stands looks up the rest. Text comes in pieces of any size; what stands across the edge
 * of two pieces is found, and counted once.
 */
import { randomBytes } from "node:crypto";

/** A mark in one form. */
export interface Hit {
  mark: string;
  form: string;
}

interface Form extends Hit {
  needle: Buffer;
}

/** Forms that begin alike. */
interface Group {
  beginning: Buffer;
  /** Of the needles. */
  lengths: Set<number>;
  /** A character for each byte. */
  byNeedle: Map<string, Hit[]>;
}

const prefix = "canary";
/** Of every needle. Long enough to be rare, and the same for all marks of one form. */
const beginningBytes = prefix.length;
const randomCharacters = 5;
const firstCharacter = 0x4e00;

/** Letters for the plain forms, then others for the escaped ones: as random, and with a pair of surrogates. */
export function newMark(): string {
  const random = randomBytes(16).toString("hex");
  const characters = [...randomBytes(randomCharacters)].map((byte, at) =>
    String.fromCharCode(firstCharacter + at * 256 + byte),
  );
  return `${prefix}${random}漢${characters.join("")}🙂`;
}

export class MarkSearch {
  readonly #groups: readonly Group[];
  readonly #longest: number;
  #tail: Buffer = Buffer.alloc(0);

  constructor(marks: readonly string[]) {
    const forms = marks.flatMap((mark) => formsOf(mark));
    this.#groups = groupsOf(forms);
    this.#longest = Math.max(1, ...forms.map(({ needle }) => needle.length));
  }

  /** All of one text. */
  in(bytes: Uint8Array): Hit[] {
    return [...this.next(bytes), ...this.end()];
  }

  /** Another piece of a text. What may continue in the next piece is kept until then. */
  next(piece: Uint8Array): Hit[] {
    const tail = this.#tail;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (bytes.length < this.#longest) return this.#keepingTail(Buffer.concat([tail, bytes]));
    // Of a long piece only what may continue the last one is copied.
    const across = Buffer.concat([tail, bytes.subarray(0, this.#longest - 1)]);
    return [...this.#startingBefore(tail.length, across), ...this.#keepingTail(bytes)];
  }

  /** The text is over; the next piece begins another. */
  end(): Hit[] {
    const bytes = this.#tail;
    this.#tail = Buffer.alloc(0);
    return this.#startingBefore(bytes.length, bytes);
  }

  #keepingTail(bytes: Buffer): Hit[] {
    const complete = Math.max(0, bytes.length - this.#longest + 1);
    this.#tail = Buffer.from(bytes.subarray(complete));
    return this.#startingBefore(complete, bytes);
  }

  #startingBefore(limit: number, bytes: Buffer): Hit[] {
    const hits: Hit[] = [];
    for (const { beginning, lengths, byNeedle } of this.#groups) {
      for (let at = bytes.indexOf(beginning); at !== -1 && at < limit;) {
        // There may be a hundred thousand places, and a hundred marks: they are not compared one by one.
        for (const length of lengths) {
          // Past the end it would be a shorter text, which may be another needle.
          if (at + length > bytes.length) continue;
          hits.push(...(byNeedle.get(bytes.toString("latin1", at, at + length)) ?? []));
        }
        at = bytes.indexOf(beginning, at + 1);
      }
    }
    return hits;
  }
}

function groupsOf(forms: readonly Form[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { needle, ...hit } of forms) {
    const beginning = needle.subarray(0, beginningBytes);
    const name = beginning.toString("latin1");
    const group: Group = groups.get(name) ?? { beginning, lengths: new Set(), byNeedle: new Map() };
    const text = needle.toString("latin1");
    group.byNeedle.set(text, [...(group.byNeedle.get(text) ?? []), hit]);
    group.lengths.add(needle.length);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function formsOf(mark: string): Form[] {
  const plain = mark.replace(/[^\x20-\x7e]/gu, "");
  const others = mark.slice(plain.length);
  const bytes = Buffer.from(plain);
  const escaped = [...Array(others.length).keys()]
    .map((index) => `\\u${others.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
  const ascii = (form: string, text: string) => ({ mark, form, needle: Buffer.from(text) });
  return [
    ascii("plain", plain),
    ascii("upper case", plain.toUpperCase()),
    ascii("hex", bytes.toString("hex")),
    ascii("upper-case hex", bytes.toString("hex").toUpperCase()),
    ascii("JSON-escaped", escaped),
    ascii("URL-encoded", encodeURIComponent(others)),
    { mark, form: "UTF-16", needle: Buffer.from(plain, "utf16le") },
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
