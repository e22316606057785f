/**
 * The grammar of calls between a family's markers.
 */
import type { CallSyntax, ReplySyntax } from "../reply-syntax.js";
import { callRules, type GrammarTool } from "./call-rules.js";
import { literal, oneOf, optional, sequence, spaceRule } from "./gbnf-text.js";
import { thoughtsBefore } from "./thoughts-rule.js";

export interface MarkedGrammarOptions {
  parallel: boolean;
  from: "start" | "trigger";
  reasoning: "allowed" | "open" | "none";
}

/** More calls in one reply are a model that does not stop. */
export const mostCalls = 16;

type Marked = Extract<ReplySyntax, { type: "marked" }> & { calls: CallSyntax };

export function markedGrammar(
  { reasoning, calls, dropped }: Marked,
  tools: readonly GrammarTool[],
  { parallel, from, reasoning: state }: MarkedGrammarOptions,
): string {
  const thoughts = thoughtsBefore(reasoning, from === "start" ? state : "none");
  // Only replies without a marker of their own begin with one that means nothing (Llama's).
  const isMarkless = from === "start" && calls.open === "" && dropped.length > 0;
  const prefix = isMarkless ? optional(oneOf(dropped.map(literal))) : "";
  return [
    `root ::= ${sequence(thoughts.expression, prefix, callsOf(calls, parallel, from))}`,
    ...oneCall(calls),
    spaceRule,
    ...thoughts.rules,
    ...callRules(tools, calls.payload),
    "",
  ].join("\n");
}

/** Separated, and no more than may be. */
export function severalOf(item: string, separator: string, parallel: boolean): string {
  if (!parallel) return item;
  return sequence(item, `(${sequence(separator, item)}){0,${mostCalls - 1}}`);
}

function callsOf(calls: CallSyntax, parallel: boolean, from: "start" | "trigger"): string {
  const { open, close, groupOpen, groupClose, payload } = calls;
  if (payload.type === "json" && payload.list) {
    const list = severalOf("call", sequence("space", literal(","), "space"), parallel);
    const closing = close === "" ? "" : sequence("space", literal(close));
    return sequence(literal(open), "space", literal("["), "space", list, "space", literal("]"), closing);
  }
  if (open === "") return "call";
  // Models of tagged families leave the outer marker out at times: the inner one is a trigger, too.
  const mayLackOpen = from === "trigger" && payload.type === "tagged" && payload.nameOpen !== "";
  const first = mayLackOpen
    ? sequence(optional(sequence(literal(open), "space")), "call-end")
    : "marked-call";
  const rest = `(${sequence("space", "marked-call")}){0,${mostCalls - 1}}`;
  const all = parallel ? sequence(first, rest) : first;
  return groupOpen === "" ? all : sequence(literal(groupOpen), "space", all, "space", literal(groupClose));
}

/** With the markers of one call. In named notations nothing may stand between the marker and the name. */
function oneCall({ open, close, payload }: CallSyntax): string[] {
  if (open === "" || (payload.type === "json" && payload.list)) return [];
  const closing = close === "" ? "" : sequence(payload.type === "named" ? "" : "space", literal(close));
  const opening = sequence(literal(open), payload.type === "named" ? "" : "space");
  return [`marked-call ::= ${sequence(opening, "call-end")}`, `call-end ::= ${sequence("call", closing)}`];
}
