/**
 * The grammar of our own format: a reply or calls where the choice is free, and only calls where it is not.
 */
import { callsField, genericCallFields, replyField } from "../parts/generic-reply.js";
import type { ReasoningSyntax } from "../reply-syntax.js";
import { callRules, type GrammarTool } from "./call-rules.js";
import { literal, oneOf, sequence, spaceRule } from "./gbnf-text.js";
import { severalOf, type MarkedGrammarOptions } from "./marked-grammar.js";
import { thoughtsBefore } from "./thoughts-rule.js";

/** Escapes of half a surrogate pair do not come up: they would be no character. */
const stringRules = [
  'string ::= "\\x22" string-char* "\\x22"',
  'string-char ::= [^\\x22\\x5C\\x00-\\x1F\\x7F] | "\\x5C" ([\\x22\\x5C/bfnrt] | "u" string-code)',
  "string-code ::= [0-9a-cA-CeEfF] hex hex hex | [dD] [0-7] hex hex",
  "hex ::= [0-9a-fA-F]",
];

export function genericGrammar(
  reasoning: ReasoningSyntax | null,
  tools: readonly GrammarTool[],
  { parallel, from, reasoning: state }: MarkedGrammarOptions,
): string {
  const payload = { type: "json", ...genericCallFields, list: true } as const;
  const thoughts = thoughtsBefore(reasoning, state);
  const list = severalOf("call", sequence(literal(","), "space"), parallel);
  const member = (name: string, value: string) =>
    sequence(literal(`{"${name}":`), "space", value, "space", literal("}"));
  const calls = member(callsField, sequence(literal("["), "space", list, "space", literal("]")));
  const isFree = from === "trigger";
  return [
    `root ::= ${sequence(thoughts.expression, isFree ? oneOf([member(replyField, "string"), calls]) : calls)}`,
    spaceRule,
    ...(isFree ? stringRules : []),
    ...thoughts.rules,
    ...callRules(tools, payload),
    "",
  ].join("\n");
}
