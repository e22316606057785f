/**
 * Thoughts up to their closing marker, without the whitespace at their edges. An opening marker inside them is
 * dropped: models repeat the one that the prompt ends with.
 */
import type { ReasoningSyntax } from "../reply-syntax.js";
import { upTo, type Input, type Reading } from "./input.js";
import type { Output } from "./output.js";
import { TrimmedText } from "./trimmed-text.js";

export function* thoughts(input: Input, output: Output, { open, close }: ReasoningSyntax): Reading {
  const text = new TrimmedText((part, waiting) => output.reasoning(part, waiting), true);
  output.beginReasoning();
  for (;;) {
    const marker = yield* upTo(input, [close, open], (part) => text.write(part));
    if (marker === null) text.keepSpace();
    else if (marker === close) {
      text.dropSpace();
      output.endReasoning();
    }
    if (marker !== open) return;
  }
}
