/**
 * The grammar of calls between a family's markers.
 */
import { choice, optional, repeat, sequence, text, type Expression, type Grammar } from "../gbnf.js";
import type { CallSyntax, ReplySyntax } from "../../chat-format/reply-syntax.js";
import { anyCall, maxCalls, severalOf, space, type GrammarTool } from "./call-rules.js";

type Marked = Extract<ReplySyntax, { type: "marked" }> & { calls: CallSyntax };

export function markedCalls(
  { calls, dropped }: Marked,
  tools: readonly GrammarTool[],
  { parallel, from }: { parallel: boolean; from: "start" | "trigger" },
  grammar: Grammar,
): Expression {
  const { open, groupOpen, groupClose, payload } = calls;
  const call = anyCall(tools, payload, grammar);
  if (payload.type === "json" && payload.list) return listOf(call, calls, parallel, grammar);
  if (open === "") {
    // Only replies without a marker of their own begin with one that means nothing (Llama's).
    const hasPrefix = from === "start" && dropped.length > 0;
    return hasPrefix ? sequence(optional(choice(...dropped.map(text))), call) : call;
  }
  const gap = space(grammar);
  // In named notations nothing may stand between a marker and the call.
  const inner = payload.type === "named" ? text("") : gap;
  const callAndClose = grammar.define("call-end", () =>
    calls.close === "" ? call : sequence(call, inner, text(calls.close)),
  );
  const marked = grammar.define("marked-call", () => sequence(text(open), inner, callAndClose));
  // Models of tagged families leave the outer marker out at times: the inner one is a trigger, too.
  const mayLackOpen = from === "trigger" && payload.type === "tagged" && payload.nameOpen !== "";
  const first = mayLackOpen ? sequence(optional(sequence(text(open), gap)), callAndClose) : marked;
  const all = parallel ? sequence(first, repeat(sequence(gap, marked), 0, maxCalls - 1)) : first;
  return groupOpen === "" ? all : sequence(text(groupOpen), gap, all, gap, text(groupClose));
}

function listOf(
  call: Expression,
  { open, close }: CallSyntax,
  parallel: boolean,
  grammar: Grammar,
): Expression {
  const gap = space(grammar);
  const list = severalOf(call, sequence(gap, text(","), gap), parallel);
  const closing = close === "" ? [] : [gap, text(close)];
  return sequence(text(open), gap, text("["), gap, list, gap, text("]"), ...closing);
}
