/**
 * Finds thoughts and calls that an engine left in the text of a reply: it was started without a parser for its model's
 * format, so that the model's own markup arrives as content.
 *
 * Thoughts are looked for where models put them, at the beginning: other replies pass as they are. Calls are looked for
 * only where the request has tools, in the form that most families write. An engine that tells of calls or thoughts in
 * fields of their own has a parser, and leaves nothing to be found.
 */
import type { Tooling } from "../../protocol/chat.js";
import { families, think } from "../chat-format/families.js";
import { replyParser } from "../chat-format/parser-of.js";
import type { ParsedEvent, ReplyParser } from "../chat-format/reply-events.js";

export function contentParser(tooling: Tooling | undefined): ReplyParser {
  if (tooling === undefined) return new LeadingThoughts();
  const tools = tooling.tools.map(({ name, parameters = {} }) => ({ name, parameters }));
  return replyParser(families.qwen3, { tools, callsExpected: true, reasoningOpen: false });
}

/** Longer whitespace than this is no beginning of thoughts. */
const mostHeld = 64;

class LeadingThoughts implements ReplyParser {
  /** What may still be the beginning of thoughts; null once that is decided. */
  #held: string | null = "";
  #thoughts: ReplyParser | null = null;
  #readChars = 0;

  push(fragment: string): ParsedEvent[] {
    if (this.#held === null) return this.#pass(fragment);
    const begun = this.#held + fragment;
    const beginning = begun.trimStart();
    if (think.open.startsWith(beginning) && begun.length <= mostHeld) {
      this.#held = begun;
      return [];
    }
    this.#held = null;
    if (beginning.startsWith(think.open)) {
      this.#thoughts = replyParser(families.qwen3, { tools: [], callsExpected: false, reasoningOpen: false });
    }
    return this.#pass(begun);
  }

  flush(): ParsedEvent[] {
    const held = this.#held ?? "";
    this.#held = null;
    return [...this.#pass(held), ...(this.#thoughts?.flush() ?? [])];
  }

  #pass(text: string): ParsedEvent[] {
    if (this.#thoughts !== null) return this.#thoughts.push(text);
    const start = this.#readChars;
    const end = (this.#readChars += text.length);
    return text === "" ? [] : [{ type: "text", text, start, end }];
  }
}
