/**
 * The grammar of one call of one tool, in each notation.
 */
import type { CallSyntax, JsonCalls, NamedCalls, TaggedCalls } from "../reply-syntax.js";
import { literal, oneOf, optional, sequence, textUpTo, withPrefix } from "./gbnf-text.js";
import type { TaggedParameter } from "./tagged-parameters.js";

export interface GrammarTool {
  name: string;
  /** GBNF whose rule `root` is the JSON object of the arguments. */
  argumentsGrammar: string;
  /** For notations with tags. Without them the arguments are written as JSON in the place of the tags. */
  taggedParameters?: readonly TaggedParameter[] | null;
}

export interface CallRule {
  /** The call itself, without the markers around it. */
  expression: string;
  rules: string[];
}

export function callRule(tool: GrammarTool, index: number, payload: CallSyntax["payload"]): CallRule {
  const rules = [argumentsRules(tool, index)];
  const value = callArguments(index);
  switch (payload.type) {
    case "json":
      return { expression: jsonCall(tool.name, payload, value), rules };
    case "named":
      return { expression: namedCall(tool.name, payload, value), rules };
    case "tagged":
      if (tool.taggedParameters)
        return taggedCall(tool.name, tool.taggedParameters, payload, prefixOf(index));
      return { expression: between(tool.name, payload, [value, "space"]), rules };
  }
}

/** Rules of one tool's grammar are told from those of another by a prefix. */
const prefixOf = (index: number): string => `t${index}-`;

/** The JSON object of the arguments of the tool with this number. */
export const callArguments = (index: number): string => `${prefixOf(index)}root`;
export const argumentsRules = ({ argumentsGrammar }: GrammarTool, index: number): string =>
  withPrefix(argumentsGrammar, prefixOf(index));

function jsonCall(name: string, { nameField, argumentsField, idField }: JsonCalls, value: string): string {
  const key = (field: string) => sequence(literal(`"${field}":`), "space");
  const id = idField === undefined ? "" : sequence(key(idField), `"\\x22" [a-zA-Z0-9]{1,16} "\\x22"`);
  const before = id === "" ? "" : optional(sequence(id, literal(","), "space"));
  const after = id === "" ? "" : optional(sequence(literal(","), "space", id));
  return sequence(
    ...[literal("{"), "space", before, key(nameField), literal(`"${name}",`), "space"],
    ...[key(argumentsField), value, after, "space", literal("}")],
  );
}

function namedCall(name: string, { prefix, idOpen, separator, suffix }: NamedCalls, value: string): string {
  const id = idOpen === "" ? "" : optional(sequence(literal(idOpen), "[a-zA-Z0-9]{1,16}"));
  return sequence(literal(prefix + name), id, literal(separator), value, literal(suffix));
}

function taggedCall(
  name: string,
  parameters: readonly TaggedParameter[],
  payload: TaggedCalls,
  prefix: string,
): CallRule {
  const rules: string[] = [];
  const written = parameters.map((parameter, index) => {
    const own = `${prefix}p${index}`;
    const parts = [literal(payload.keyOpen + parameter.name + payload.keyClose), opener(payload)];
    parts.push(valueOf(parameter, payload, own, rules));
    const expression = sequence(...parts, "space");
    return parameter.required ? expression : optional(expression);
  });
  return { expression: between(name, payload, written), rules };
}

const between = (name: string, { nameOpen, nameClose, end }: TaggedCalls, parts: readonly string[]): string =>
  sequence(literal(nameOpen + name + nameClose), "space", ...parts, literal(end));

/** Between the two tags of GLM there is a line break; where the value begins at once there is none to allow. */
const opener = ({ valueOpen }: TaggedCalls): string =>
  valueOpen.trim() === "" ? literal(valueOpen) : sequence("space", literal(valueOpen));

function valueOf({ value }: TaggedParameter, payload: TaggedCalls, own: string, rules: string[]): string {
  const close = literal(payload.valueClose);
  switch (value.type) {
    case "text":
      rules.push(...textUpTo(`${own}-text`, payload.valueClose.trim()));
      return `${own}-text`;
    case "texts":
      return sequence(oneOf(value.texts.map(literal)), close);
    case "json":
      rules.push(withPrefix(value.grammar, `${own}-`));
      return sequence(`${own}-root`, close);
  }
}
