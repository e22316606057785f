/**
 * What a model writes, taken apart: text for the reader, reasoning, and calls of tools. A parser reads the raw text of
 * one reply as it grows, whatever the sizes of its fragments, and never gives out a family's own markup.
 */

export type ReplyEvent =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A call begins. Calls are numbered in the order in which they begin. */
  | { type: "call"; name: string }
  /** More of the JSON text of the arguments of the call that began last. */
  | { type: "arguments"; text: string };

/**
 * An event and its place: how many characters of the raw text had been read before it, and up to its end. Text that was
 * decoded is not as long as what it was read from, so only that of reasoning begins exactly at `start`.
 */
export type ParsedEvent = ReplyEvent & { start: number; end: number };

export interface ReplyParser {
  /** What is certain after this fragment; the rest is held back, and no more than may still turn out to be markup. */
  push(fragment: string): ParsedEvent[];
  /** The text ended: what was held back, as what it then is. */
  flush(): ParsedEvent[];
}

/** Where the model is. No event says so: between the marker that ends reasoning and the first text there is none. */
export interface ReplyState {
  isReasoning: boolean;
  /** How many characters of the raw text come before the place where reasoning last began or ended. */
  since: number;
}

export interface StatefulParser extends ReplyParser {
  /** After the last fragment; before the first, whether the reply begins within reasoning. */
  readonly state: ReplyState;
}
