/** The grammar of a call, in each notation: what all calls begin with, then a name, then what follows for that tool. */
import { chars, choice, optional, repeat, sequence, text, type Expression, type Grammar } from "../gbnf.js";
import { oneOfNames, oneOfTexts } from "../text-choice.js";
import { textUpTo } from "../text-up-to.js";
import type { CallSyntax, JsonCalls, NamedCalls, TaggedCalls } from "../../chat-format/reply-syntax.js";
import type { TaggedParameter } from "./tagged-parameters.js";

export interface GrammarTool {
  name: string;
  /** GBNF whose rule `root` is the JSON object of the arguments. */
  argumentsGrammar: string;
  /** For notations with tags. Without them the arguments are written as JSON in the place of the tags. */
  taggedParameters?: readonly TaggedParameter[] | null;
}

export interface CallGrammarOptions {
  parallel: boolean;
  from: "start" | "trigger";
  /** What may be written instead of calls, in GBNF. */
  reply?: string | undefined;
}

/** More calls in one reply mean that the model does not stop. */
export const maxCalls = 16;

/** Whitespace as models lay JSON out: none, a space, or a line break with some indentation. */
export const space = (grammar: Grammar): Expression =>
  grammar.define("space", () =>
    optional(choice(text(" "), sequence(text("\n"), repeat(chars([0x20, 0x20]), 0, 8)))),
  );

/** A call of any of the tools, without the markers around it. */
export function anyCall(
  tools: readonly GrammarTool[],
  payload: CallSyntax["payload"],
  grammar: Grammar,
): Expression {
  const afterName = (tool: GrammarTool): Expression => {
    if (payload.type === "tagged" && tool.taggedParameters) {
      return afterTaggedName(tool.taggedParameters, payload, grammar);
    }
    const [value, gap] = [grammar.embed(tool.argumentsGrammar), space(grammar)];
    switch (payload.type) {
      case "json":
        return afterJsonName(payload, value, gap);
      case "named":
        return afterPlainName(payload, value);
      case "tagged":
        return sequence(text(payload.nameClose), gap, value, gap, text(payload.end));
    }
  };
  return grammar.define("call", () => {
    const entries = tools.map((tool) => ({ name: tool.name, rest: afterName(tool) }));
    return sequence(beforeName(payload, space(grammar)), oneOfNames(entries));
  });
}

/** Several calls, separated, where they may be parallel. */
export function severalOf(item: Expression, separator: Expression, parallel: boolean): Expression {
  return parallel ? sequence(item, repeat(sequence(separator, item), 0, maxCalls - 1)) : item;
}

const id = repeat(chars([0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]), 1, 16);
const key = (field: string, gap: Expression): Expression => sequence(text(`"${field}":`), gap);
/** A field with an id may come first or last. */
const idField = (field: string, gap: Expression): Expression =>
  sequence(key(field, gap), text('"'), id, text('"'));

function beforeName(payload: CallSyntax["payload"], gap: Expression): Expression {
  if (payload.type === "named") return text(payload.prefix);
  if (payload.type === "tagged") return text(payload.nameOpen);
  const first =
    payload.idField === undefined
      ? text("")
      : optional(sequence(idField(payload.idField, gap), text(","), gap));
  return sequence(text("{"), gap, first, key(payload.nameField, gap), text('"'));
}

function afterJsonName(payload: JsonCalls, value: Expression, gap: Expression): Expression {
  const last =
    payload.idField === undefined
      ? text("")
      : optional(sequence(text(","), gap, idField(payload.idField, gap)));
  return sequence(text('",'), gap, key(payload.argumentsField, gap), value, last, gap, text("}"));
}

function afterPlainName({ idOpen, separator, suffix }: NamedCalls, value: Expression): Expression {
  const withId = idOpen === "" ? text("") : optional(sequence(text(idOpen), id));
  return sequence(withId, text(separator), value, text(suffix));
}

function afterTaggedName(
  parameters: readonly TaggedParameter[],
  payload: TaggedCalls,
  grammar: Grammar,
): Expression {
  const gap = space(grammar);
  // Between the two tags of GLM there is a line break; where the value follows immediately there is none to allow.
  const opener = sequence(payload.valueOpen.trim() === "" ? text("") : gap, text(payload.valueOpen));
  const written = parameters.map((parameter) => {
    const tag = text(payload.keyOpen + parameter.name + payload.keyClose);
    const expression = sequence(tag, opener, valueOf(parameter, payload, grammar), gap);
    return parameter.required ? expression : optional(expression);
  });
  return sequence(text(payload.nameClose), gap, ...written, text(payload.end));
}

function valueOf({ value }: TaggedParameter, { valueClose }: TaggedCalls, grammar: Grammar): Expression {
  switch (value.type) {
    case "text":
      return textUpTo(valueClose.trim(), "tagged-text", grammar);
    case "texts":
      return sequence(oneOfTexts(value.texts), text(valueClose));
    case "json":
      return sequence(grammar.embed(value.grammar), text(valueClose));
  }
}
