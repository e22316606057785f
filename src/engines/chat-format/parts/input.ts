/**
 * The raw text of a reply as it arrives, and the small steps that everything else is composed of.
 *
 * A reading is a generator: it yields when it needs more text than there is, and goes on where it was once more has
 * arrived. Every step decides by the characters alone and never by where a fragment ends, so any way of cutting the
 * text gives the same result. After the end nothing yields.
 */

export type Reading<T = void> = Generator<undefined, T, undefined>;

export class Input {
  unread = "";
  position = 0;
  ended = false;
  #recording: string | null = null;

  push(fragment: string): void {
    this.unread += fragment;
  }

  end(): void {
    this.ended = true;
  }

  take(count: number): string {
    const taken = this.unread.slice(0, count);
    this.unread = this.unread.slice(count);
    this.position += taken.length;
    if (this.#recording !== null) this.#recording += taken;
    return taken;
  }

  /** From here on, or from where this was called before, what is taken is kept in case it turns out to be no call. */
  record(): void {
    this.#recording ??= "";
  }

  /** It is what it was taken for. */
  stopRecording(): void {
    this.#recording = null;
  }

  /** It is not: what was taken since `record` is unread again. False when nothing was kept. */
  takeBack(): boolean {
    const recorded = this.#recording ?? "";
    this.#recording = null;
    this.unread = recorded + this.unread;
    this.position -= recorded.length;
    return recorded !== "";
  }
}

/** The next character, not taken; null at the end. */
export function* peek(input: Input): Reading<string | null> {
  while (input.unread === "" && !input.ended) yield;
  return input.unread === "" ? null : input.unread.charAt(0);
}

/** Takes whitespace, and gives it to `keep`. */
export function* skipSpace(input: Input, keep?: (space: string) => void): Reading {
  for (;;) {
    const length = input.unread.length - input.unread.trimStart().length;
    if (length > 0) {
      const space = input.take(length);
      keep?.(space);
    }
    if (input.unread !== "" || input.ended) return;
    yield;
  }
}

export function* literal(input: Input, text: string): Reading<boolean> {
  return (yield* oneOf(input, [text])) !== null;
}

/** Takes whichever of these texts comes next; null if none does. */
export function* oneOf(input: Input, texts: readonly string[]): Reading<string | null> {
  for (;;) {
    const found = texts.find((text) => text !== "" && input.unread.startsWith(text));
    if (found !== undefined) {
      input.take(found.length);
      return found;
    }
    const isOpen = texts.some((text) => text.startsWith(input.unread));
    if (!isOpen || input.ended) return null;
    yield;
  }
}

/**
 * Gives what comes before the first marker to `write` as it arrives, and takes the marker; null at the end. Held back
 * is only what may be the beginning of one.
 */
export function* upTo(
  input: Input,
  markers: readonly string[],
  write: (text: string) => void,
): Reading<string | null> {
  for (;;) {
    const { before, marker } = findMarker(input.unread, markers, input.ended);
    if (before > 0) write(input.take(before));
    if (marker !== null) {
      input.take(marker.length);
      return marker;
    }
    if (input.ended) return null;
    yield;
  }
}

/** The first place where a marker stands, or where one may still be completed by what comes. */
function findMarker(
  text: string,
  markers: readonly string[],
  isWhole: boolean,
): { before: number; marker: string | null } {
  for (let index = 0; index < text.length; index++) {
    const marker = markers.find((candidate) => candidate !== "" && text.startsWith(candidate, index));
    if (marker !== undefined) return { before: index, marker };
    if (isWhole) continue;
    const rest = text.slice(index);
    if (markers.some((candidate) => candidate.startsWith(rest))) return { before: index, marker: null };
  }
  return { before: text.length, marker: null };
}
