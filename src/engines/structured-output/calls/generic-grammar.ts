/**
 * The grammar of our own format: a reply or calls where the choice is free, and only calls where it is not.
 */
import { choice, sequence, text, type Expression, type Grammar } from "../gbnf.js";
import { anyString } from "../json-schema/json-text.js";
import { callsField, genericCallFields, replyField } from "../../chat-format/parts/generic-reply.js";
import { anyCall, severalOf, space, type GrammarTool } from "./call-rules.js";

export function genericCalls(
  tools: readonly GrammarTool[],
  { parallel, from }: { parallel: boolean; from: "start" | "trigger" },
  grammar: Grammar,
): Expression {
  const gap = space(grammar);
  const call = anyCall(tools, { type: "json", ...genericCallFields, list: true }, grammar);
  const list = severalOf(call, sequence(text(","), gap), parallel);
  const member = (name: string, value: Expression) =>
    sequence(text(`{"${name}":`), gap, value, gap, text("}"));
  const calls = member(callsField, sequence(text("["), gap, list, gap, text("]")));
  return from === "trigger" ? choice(member(replyField, anyString(grammar)), calls) : calls;
}
