/**
 * Collects what a reading finds. Neighbours of the same kind become one event, and half of a surrogate pair waits for
 * the other half: what is given out is whole characters.
 */
import type { ParsedEvent, ReplyEvent, ReplyState } from "../reply-events.js";
import type { Input } from "./input.js";

const endsInHalf = /[\ud800-\udbff]$/;

export class Output {
  #events: ParsedEvent[] = [];
  /** Half a character that was held back, and of what. */
  #half: (ParsedEvent & { type: "text" | "reasoning" | "arguments" }) | null = null;
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
  text(text: string, waiting = 0): void {
    this.#add({ type: "text", text }, waiting);
  }

  reasoning(text: string, waiting = 0): void {
    this.#add({ type: "reasoning", text }, waiting);
  }

  call(name: string): void {
    this.#add({ type: "call", name });
  }

  arguments(text: string): void {
    this.#add({ type: "arguments", text });
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
