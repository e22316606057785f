/**
 * The grammar of a call, in each notation: what all calls begin with, then a name, then what follows for that tool.
 */
import type { CallSyntax, JsonCalls, NamedCalls, TaggedCalls } from "../reply-syntax.js";
import { literal, oneOf, oneOfNames, optional, sequence, textUpTo, withPrefix } from "./gbnf-text.js";
import type { TaggedParameter } from "./tagged-parameters.js";

export interface GrammarTool {
  name: string;
  /** GBNF whose rule `root` is the JSON object of the arguments. */
  argumentsGrammar: string;
  /** For notations with tags. Without them the arguments are written as JSON in the place of the tags. */
  taggedParameters?: readonly TaggedParameter[] | null;
}

/** The rule `call`, a call of any of the tools without the markers around it, and the rules that it needs. */
export function callRules(tools: readonly GrammarTool[], payload: CallSyntax["payload"]): string[] {
  const rules: string[] = [];
  const entries = tools.map((tool, index) => ({
    name: tool.name,
    rest: afterName(tool, index, payload, rules),
  }));
  return [`call ::= ${sequence(beforeName(payload), oneOfNames(entries))}`, ...new Set(rules)];
}

function beforeName(payload: CallSyntax["payload"]): string {
  switch (payload.type) {
    case "json":
      return beforeJsonName(payload);
    case "named":
      return literal(payload.prefix);
    case "tagged":
      return literal(payload.nameOpen);
  }
}

function afterName(
  tool: GrammarTool,
  index: number,
  payload: CallSyntax["payload"],
  rules: string[],
): string {
  if (payload.type === "tagged" && tool.taggedParameters) {
    return afterTaggedName(tool.taggedParameters, payload, prefixOf(index), rules);
  }
  rules.push(argumentsRules(tool, index));
  const value = callArguments(index);
  switch (payload.type) {
    case "json":
      return afterJsonName(payload, value);
    case "named":
      return afterPlainName(payload, value);
    case "tagged":
      return sequence(literal(payload.nameClose), "space", value, "space", literal(payload.end));
  }
}

/** Rules of one tool's grammar are told from those of another by a prefix. */
const prefixOf = (index: number): string => `t${index}-`;

/** The JSON object of the arguments of the tool with this number. */
export const callArguments = (index: number): string => `${prefixOf(index)}root`;
export const argumentsRules = ({ argumentsGrammar }: GrammarTool, index: number): string =>
  withPrefix(argumentsGrammar, prefixOf(index));

const key = (field: string): string => sequence(literal(`"${field}":`), "space");
/** A field with an id may come first or last. */
const idOf = ({ idField }: JsonCalls): string =>
  idField === undefined ? "" : sequence(key(idField), `"\\x22" [a-zA-Z0-9]{1,16} "\\x22"`);

function beforeJsonName(payload: JsonCalls): string {
  const id = idOf(payload);
  const first = id === "" ? "" : optional(sequence(id, literal(","), "space"));
  return sequence(literal("{"), "space", first, key(payload.nameField), literal('"'));
}

function afterJsonName(payload: JsonCalls, value: string): string {
  const id = idOf(payload);
  const last = id === "" ? "" : optional(sequence(literal(","), "space", id));
  return sequence(literal('",'), "space", key(payload.argumentsField), value, last, "space", literal("}"));
}

function afterPlainName({ idOpen, separator, suffix }: NamedCalls, value: string): string {
  const id = idOpen === "" ? "" : optional(sequence(literal(idOpen), "[a-zA-Z0-9]{1,16}"));
  return sequence(id, literal(separator), value, literal(suffix));
}

function afterTaggedName(
  parameters: readonly TaggedParameter[],
  payload: TaggedCalls,
  prefix: string,
  rules: string[],
): string {
  const written = parameters.map((parameter, index) => {
    const tag = literal(payload.keyOpen + parameter.name + payload.keyClose);
    const value = valueOf(parameter, payload, `${prefix}p${index}-`, rules);
    const expression = sequence(tag, opener(payload), value, "space");
    return parameter.required ? expression : optional(expression);
  });
  return sequence(literal(payload.nameClose), "space", ...written, literal(payload.end));
}

/** Between the two tags of GLM there is a line break; where the value begins at once there is none to allow. */
const opener = ({ valueOpen }: TaggedCalls): string =>
  valueOpen.trim() === "" ? literal(valueOpen) : sequence("space", literal(valueOpen));

function valueOf({ value }: TaggedParameter, payload: TaggedCalls, prefix: string, rules: string[]): string {
  const close = literal(payload.valueClose);
  switch (value.type) {
    case "text":
      rules.push(...textUpTo("tagged-text", payload.valueClose.trim()));
      return "tagged-text";
    case "texts":
      return sequence(oneOf(value.texts.map(literal)), close);
    case "json":
      rules.push(withPrefix(value.grammar, prefix));
      return sequence(`${prefix}root`, close);
  }
}
