/**
 * Finds reasoning and calls that an engine left in the text of a reply: it was started without a parser for its model's
 * format, so that the model's own markup arrives as content.
 *
 * Reasoning is looked for where models put it, at the beginning: other replies pass unparsed, which is several times
 * cheaper per fragment. Calls are looked for only where the request has tools, in the form that most families write. An
 * engine that reports calls or reasoning in fields of their own has a parser, and leaves nothing to be found.
 */
import type { Tooling } from "../../core/chat/request.js";
import { families, think } from "../formats/replies/families.js";
import { replyParser } from "../formats/replies/parser-of.js";
import type { ParsedEvent, ReplyParser } from "../formats/replies/reply-events.js";

export const contentParser = (tooling: Tooling | undefined): ReplyParser =>
  tooling === undefined
    ? new LeadingReasoning()
    : replyParser(families.qwen3, { tools: tooling.tools, callsExpected: true, reasoningOpen: false });

/** Longer whitespace than this does not come before reasoning. */
const maxHeldChars = 64;

class LeadingReasoning implements ReplyParser {
  /** What may still be the beginning of reasoning; null once that is decided. */
  #held: string | null = "";
  #reasoning: ReplyParser | null = null;
  #readChars = 0;

  push(fragment: string): ParsedEvent[] {
    if (this.#held === null) return this.#pass(fragment);
    const begun = this.#held + fragment;
    const beginning = begun.trimStart();
    if (think.open.startsWith(beginning) && begun.length <= maxHeldChars) {
      this.#held = begun;
      return [];
    }
    this.#held = null;
    if (beginning.startsWith(think.open)) {
      this.#reasoning = replyParser(families.qwen3, {
        tools: [],
        callsExpected: false,
        reasoningOpen: false,
      });
    }
    return this.#pass(begun);
  }

  flush(): ParsedEvent[] {
    const held = this.#held ?? "";
    this.#held = null;
    return [...this.#pass(held), ...(this.#reasoning?.flush() ?? [])];
  }

  #pass(text: string): ParsedEvent[] {
    if (this.#reasoning !== null) return this.#reasoning.push(text);
    const start = this.#readChars;
    const end = (this.#readChars += text.length);
    return text === "" ? [] : [{ type: "text", text, start, end }];
  }
}
