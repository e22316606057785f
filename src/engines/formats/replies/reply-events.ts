/**
 * What a model writes, taken apart: text for the reader, thoughts, and calls of tools. A parser reads the raw text of
 * one reply as it grows, whatever the sizes of its fragments, and never gives out a family's own markup.
 */

export type ReplyEvent =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A call begins. Calls are numbered in the order in which they begin. */
  | { type: "call"; name: string }
  /** More of the JSON text of the arguments of the call that began last. */
  | { type: "arguments"; text: string };

/** An event and where it ends: how many characters of the raw text have been read up to there. */
export type ParsedEvent = ReplyEvent & { end: number };

export interface ReplyParser {
  /** What is certain after this fragment; the rest is held back, and no more than may still turn out to be markup. */
  push(fragment: string): ParsedEvent[];
  /** The text ended: what was held back, as what it then is. */
  flush(): ParsedEvent[];
}
