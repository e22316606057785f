/**
 * Text whose whitespace at an edge may belong to the markup rather than to the reader: before a call, after reasoning.
 * Whitespace at the end waits until it is known what follows; of a long run only the last characters wait.
 */
const maxHeld = 64;

export class TrimmedText {
  #space = "";
  isBlank = true;

  constructor(
    /** `waiting`: how much whitespace after it is still held. */
    private readonly emit: (text: string, waiting: number) => void,
    /** Whether whitespace before the first other character is dropped. */
    private readonly dropsLeading: boolean,
  ) {}

  write(text: string): void {
    const arrived = this.isBlank && this.dropsLeading ? text.trimStart() : text;
    const whole = this.#space + arrived;
    const body = whole.trimEnd();
    if (body !== "") this.isBlank = false;
    const held = Math.max(body.length, whole.length - maxHeld);
    this.#space = whole.slice(held);
    if (held > 0) this.emit(whole.slice(0, held), this.#space.length);
  }

  /** Markup follows, and the whitespace before it was part of it. */
  dropSpace(): void {
    this.#space = "";
  }

  /** It was part of the text. */
  keepSpace(): void {
    if (this.#space !== "") this.emit(this.#space, 0);
    this.#space = "";
  }
}
