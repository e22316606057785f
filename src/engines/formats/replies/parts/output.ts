/**
 * Collects what a reading finds. Neighbours of the same kind become one event, and half of a surrogate pair waits for
 * the other half: what is given out is whole characters.
 */
import type { ParsedEvent, ReplyEvent } from "../reply-events.js";
import type { Input } from "./input.js";

const endsInHalf = /[\ud800-\udbff]$/;

export class Output {
  #events: ParsedEvent[] = [];
  /** Half a character that was held back, and of what. */
  #half: { type: "text" | "reasoning" | "arguments"; text: string } | null = null;

  constructor(private readonly input: Input) {}

  text(text: string): void {
    this.#add({ type: "text", text });
  }

  reasoning(text: string): void {
    this.#add({ type: "reasoning", text });
  }

  call(name: string): void {
    this.#add({ type: "call", name });
  }

  arguments(text: string): void {
    this.#add({ type: "arguments", text });
  }

  /** What was found since the last time. */
  take(isLast: boolean): ParsedEvent[] {
    if (isLast) this.#joinHalf();
    const events = this.#events;
    this.#events = [];
    const last = events.at(-1);
    if (isLast || last === undefined || last.type === "call" || !endsInHalf.test(last.text)) return events;
    this.#half = { type: last.type, text: last.text.slice(-1) };
    const rest = last.text.slice(0, -1);
    if (rest === "") return events.slice(0, -1);
    return [...events.slice(0, -1), { ...last, text: rest, end: last.end - 1 }];
  }

  #add(event: ReplyEvent): void {
    this.#joinHalf();
    this.#join(event);
  }

  #joinHalf(): void {
    const half = this.#half;
    this.#half = null;
    if (half !== null) this.#join(half);
  }

  #join(event: ReplyEvent): void {
    const end = this.input.position;
    const last = this.#events.at(-1);
    if (event.type === "call") this.#events.push({ ...event, end });
    else if (event.text === "") return;
    else if (last?.type === event.type) {
      last.text += event.text;
      last.end = end;
    } else this.#events.push({ ...event, end });
  }
}
