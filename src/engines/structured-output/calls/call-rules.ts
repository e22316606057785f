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
  return grammar.define("call", () => {
    const entries = tools.map((tool, index) => ({
      name: tool.name,
      rest: afterName(tool, index, payload, grammar),
    }));
    return sequence(beforeName(payload, grammar), oneOfNames(entries));
  });
}

/** Several calls, separated, where they may be parallel. */
export function severalOf(item: Expression, separator: Expression, parallel: boolean): Expression {
  return parallel ? sequence(item, repeat(sequence(separator, item), 0, maxCalls - 1)) : item;
}

function beforeName(payload: CallSyntax["payload"], grammar: Grammar): Expression {
  switch (payload.type) {
    case "json":
      return beforeJsonName(payload, grammar);
    case "named":
      return text(payload.prefix);
    case "tagged":
      return text(payload.nameOpen);
  }
}

function afterName(
  tool: GrammarTool,
  index: number,
  payload: CallSyntax["payload"],
  grammar: Grammar,
): Expression {
  if (payload.type === "tagged" && tool.taggedParameters) {
    return afterTaggedName(tool.taggedParameters, payload, `t${index}-`, grammar);
  }
  const value = callArguments(tool, index, grammar);
  switch (payload.type) {
    case "json":
      return afterJsonName(payload, value, grammar);
    case "named":
      return afterPlainName(payload, value);
    case "tagged":
      return sequence(text(payload.nameClose), space(grammar), value, space(grammar), text(payload.end));
  }
}

/** The JSON object of the arguments of the tool with this number. */
export const callArguments = (
  { argumentsGrammar }: GrammarTool,
  index: number,
  grammar: Grammar,
): Expression => grammar.embed(argumentsGrammar, `t${index}-`);

const id = repeat(chars([0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]), 1, 16);
const key = (field: string, grammar: Grammar): Expression => sequence(text(`"${field}":`), space(grammar));
/** A field with an id may come first or last. */
const idField = (field: string, grammar: Grammar): Expression =>
  sequence(key(field, grammar), text('"'), id, text('"'));

function beforeJsonName(payload: JsonCalls, grammar: Grammar): Expression {
  const first =
    payload.idField === undefined
      ? text("")
      : optional(sequence(idField(payload.idField, grammar), text(","), space(grammar)));
  return sequence(text("{"), space(grammar), first, key(payload.nameField, grammar), text('"'));
}

function afterJsonName(payload: JsonCalls, value: Expression, grammar: Grammar): Expression {
  const last =
    payload.idField === undefined
      ? text("")
      : optional(sequence(text(","), space(grammar), idField(payload.idField, grammar)));
  const field = key(payload.argumentsField, grammar);
  return sequence(text('",'), space(grammar), field, value, last, space(grammar), text("}"));
}

function afterPlainName({ idOpen, separator, suffix }: NamedCalls, value: Expression): Expression {
  const withId = idOpen === "" ? text("") : optional(sequence(text(idOpen), id));
  return sequence(withId, text(separator), value, text(suffix));
}

function afterTaggedName(
  parameters: readonly TaggedParameter[],
  payload: TaggedCalls,
  prefix: string,
  grammar: Grammar,
): Expression {
  const written = parameters.map((parameter, index) => {
    const tag = text(payload.keyOpen + parameter.name + payload.keyClose);
    const value = valueOf(parameter, payload, `${prefix}p${index}-`, grammar);
    const expression = sequence(tag, opener(payload, grammar), value, space(grammar));
    return parameter.required ? expression : optional(expression);
  });
  return sequence(text(payload.nameClose), space(grammar), ...written, text(payload.end));
}

/** Between the two tags of GLM there is a line break; where the value follows immediately there is none to allow. */
const opener = ({ valueOpen }: TaggedCalls, grammar: Grammar): Expression =>
  valueOpen.trim() === "" ? text(valueOpen) : sequence(space(grammar), text(valueOpen));

function valueOf(
  { value }: TaggedParameter,
  payload: TaggedCalls,
  prefix: string,
  grammar: Grammar,
): Expression {
  const close = text(payload.valueClose);
  switch (value.type) {
    case "text":
      return textUpTo(payload.valueClose.trim(), "tagged-text", grammar);
    case "texts":
      return sequence(oneOfTexts(value.texts), close);
    case "json":
      return sequence(grammar.embed(value.grammar, prefix), close);
  }
}
