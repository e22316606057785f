/**
 * Collects what a reading finds. Neighbours of the same kind become one event, and half of a surrogate pair waits for
 * the other half: what is given out is whole characters.
 */
import type { ParsedEvent, ReplyEvent, ReplyState } from "../reply-events.js";
import type { Input } from "./input.js";

type WrittenKind = Exclude<ReplyEvent["type"], "call">;

const endsInHalf = /[\ud800-\udbff]$/;

export class Output {
  #events: ParsedEvent[] = [];
  /** Half a character that was held back, and of what. */
  #half: (ParsedEvent & { type: WrittenKind }) | null = null;
  state: ReplyState = { isReasoning: false, since: 0 };

  constructor(private readonly input: Input) {}

  /** What is read from here on is reasoning. */
  beginReasoning(): void {
    this.state = { isReasoning: true, since: this.input.position };
  }

  /** `afterwards`: how many of the characters read last already belong to what follows. */
  endReasoning(afterwards = 0): void {
    this.state = { isReasoning: false, since: this.input.position - afterwards };
  }

  /** `waiting`: how many characters after it have been read and are not given out yet. */
  write(type: WrittenKind, text: string, waiting = 0): void {
    this.#add({ type, text }, waiting);
  }

  call(name: string): void {
    this.#add({ type: "call", name });
  }

  take(isLast: boolean): ParsedEvent[] {
    if (isLast) this.#joinHalf();
    const events = this.#events;
    this.#events = [];
    const last = events.at(-1);
    if (isLast || last === undefined || last.type === "call" || !endsInHalf.test(last.text)) return events;
    const half = last.end - 1;
    this.#half = { ...last, text: last.text.slice(-1), start: half };
    const rest = last.text.slice(0, -1);
    if (rest === "") return events.slice(0, -1);
    return [...events.slice(0, -1), { ...last, text: rest, end: half }];
  }

  #add(event: ReplyEvent, waiting = 0): void {
    this.#joinHalf();
    const end = this.input.position;
    const length = event.type === "call" ? 0 : event.text.length;
    // Text that is ours, such as what separates paragraphs, has no place of its own.
    const start = Math.max(this.state.since, end - waiting - length);
    this.#join({ ...event, start, end });
  }

  #joinHalf(): void {
    const half = this.#half;
    this.#half = null;
    if (half !== null) this.#join(half);
  }

  #join(event: ParsedEvent): void {
    const last = this.#events.at(-1);
    if (event.type === "call") this.#events.push(event);
    else if (event.text === "") return;
    else if (last?.type === event.type) {
      last.text += event.text;
      last.end = event.end;
    } else this.#events.push(event);
  }
}

/** Of a long run of whitespace only the last characters wait. */
const maxHeld = 64;

/**
 * Text whose whitespace at an edge may belong to the markup rather than to the reader: before a call, after reasoning.
 * Whitespace at the end waits until it is known what follows.
 */
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
