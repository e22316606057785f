/**
 * Grammars that hold a reply to calls in a family's own format, in GBNF.
 *
 * From the start (the choice is `required`, or a function): calls and nothing else. From a trigger (the choice is
 * `auto`): what may follow once one of `triggersOf` has appeared in the reply, that text included; whatever comes
 * before it is free. Our own format has no trigger, since its reply is always held: from a "trigger" it is a reply or
 * calls, from the beginning.
 *
 * Arguments follow the grammar that each tool comes with. In notations with tags, strings are plain text: there
 * `taggedParameters` says what each value must be, and a tool whose schema cannot be held like that comes without
 * them. Its arguments are then written as one JSON object in the place of the tags, which the parser reads as well.
 *
 * Families without a marker, and gpt-oss, write one call a reply. The marker that ends a message of gpt-oss ends
 * generation, too, so the grammar does not ask for it.
 */
import { choice, Grammar, optional, repeat, sequence, text, type Expression } from "../gbnf.js";
import { anyString } from "../json-schema/json-text.js";
import { callsField, genericCallFields, replyField } from "../../chat-format/parts/generic-reply.js";
import type { CallSyntax, ReplySyntax } from "../../chat-format/reply-syntax.js";
import {
  anyCall,
  type CallGrammarOptions,
  maxCalls,
  severalOf,
  space,
  type GrammarTool,
} from "./call-rules.js";
import { harmonyGrammar, harmonyTriggers } from "./harmony-grammar.js";

/**
 * Without the reasoning that may come before, but for that of gpt-oss. Throws when the format has no calls, or there
 * is no tool.
 */
export function callGrammar(
  syntax: ReplySyntax,
  tools: readonly GrammarTool[],
  options: CallGrammarOptions,
): string {
  if (tools.length === 0) throw new Error("A grammar for calls needs tools.");
  if (syntax.type === "harmony") return harmonyGrammar(tools, options);
  if (syntax.type === "marked" && syntax.calls === null) throw new Error("This format has no calls.");
  // Each tool's own grammar was bounded when it was compiled.
  const grammar = new Grammar({ maxElements: Infinity });
  const { reply } = options;
  const calls =
    syntax.type === "marked" && syntax.calls !== null
      ? markedCalls(syntax.calls, syntax.dropped, tools, options, grammar)
      : genericCalls(tools, options, grammar);
  return grammar.toText(reply === undefined ? calls : choice(calls, grammar.embed(reply))) ?? "";
}

/** Texts whose appearance starts the grammar when the choice is `auto`. None: it holds from the start. */
export function triggersOf(syntax: ReplySyntax): string[] {
  if (syntax.type === "generic") return [];
  if (syntax.type === "harmony") return [...harmonyTriggers];
  if (syntax.calls === null) return [];
  const { open, groupOpen, payload } = syntax.calls;
  if (groupOpen !== "") return [groupOpen];
  if (payload.type === "tagged") return [open, payload.nameOpen].filter((trigger) => trigger !== "");
  if (open !== "" || payload.type !== "json") return [open];
  const bare = payload.list ? "[{" : "{";
  return [`${bare}"${payload.nameField}": "`, `${bare}"${payload.nameField}":"`];
}

/** Whether a trigger counts only as the beginning of the reply, or of what comes after reasoning. */
export const triggersOnlyAtStart = (syntax: ReplySyntax): boolean =>
  syntax.type === "marked" && syntax.calls?.open === "" && syntax.calls.groupOpen === "";

/** Between a family's markers. */
function markedCalls(
  calls: CallSyntax,
  dropped: readonly string[],
  tools: readonly GrammarTool[],
  { parallel, from }: CallGrammarOptions,
  grammar: Grammar,
): Expression {
  const { open, groupOpen, groupClose, payload } = calls;
  const call = anyCall(tools, payload, grammar);
  const gap = space(grammar);
  // In named notations nothing may stand between a marker and the call.
  const inner = payload.type === "named" ? text("") : gap;
  const close = calls.close === "" ? text("") : sequence(inner, text(calls.close));
  if (payload.type === "json" && payload.list) {
    const list = severalOf(call, sequence(gap, text(","), gap), parallel);
    return sequence(text(open), gap, text("["), gap, list, gap, text("]"), close);
  }
  if (open === "") {
    // Only replies without a marker of their own begin with one that means nothing (Llama's).
    const hasPrefix = from === "start" && dropped.length > 0;
    return hasPrefix ? sequence(optional(choice(...dropped.map(text))), call) : call;
  }
  const callAndClose = grammar.define("call-end", () => sequence(call, close));
  const marked = grammar.define("marked-call", () => sequence(text(open), inner, callAndClose));
  // Models of tagged families leave the outer marker out at times: the inner one is a trigger, too.
  const mayLackOpen = from === "trigger" && payload.type === "tagged" && payload.nameOpen !== "";
  const first = mayLackOpen ? sequence(optional(sequence(text(open), gap)), callAndClose) : marked;
  const all = parallel ? sequence(first, repeat(sequence(gap, marked), 0, maxCalls - 1)) : first;
  return groupOpen === "" ? all : sequence(text(groupOpen), gap, all, gap, text(groupClose));
}

/** In our own format: a reply or calls where the choice is free, and only calls where it is not. */
function genericCalls(
  tools: readonly GrammarTool[],
  { parallel, from }: CallGrammarOptions,
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
