/**
 * Thoughts at the beginning of a reply, as much as the model wants, up to their closing marker.
 */
import type { ReasoningSyntax } from "../reply-syntax.js";
import { literal, optional, sequence, textUpTo } from "./gbnf-text.js";

/** An expression for what may come before the calls, and the rules that it needs. */
export function thoughtsBefore(
  reasoning: ReasoningSyntax | null,
  state: "allowed" | "open" | "none",
): { expression: string; rules: string[] } {
  if (reasoning === null || state === "none") return { expression: "", rules: [] };
  const gap = '("\\n" | " "){0,3}';
  const rules = textUpTo("thoughts", reasoning.close);
  if (state === "open") return { expression: sequence("thoughts", gap), rules };
  return { expression: optional(sequence("space", literal(reasoning.open), "thoughts", gap)), rules };
}
