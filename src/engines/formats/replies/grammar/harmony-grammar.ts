/**
 * The grammar of a reply in the format of gpt-oss: calls, or a text that follows a grammar of its own, after any number
 * of messages with thoughts. The recipient of a call may stand before the channel or after it.
 */
import { argumentsRules, callArguments, type GrammarTool } from "./call-rules.js";
import {
  literal,
  oneOf,
  oneOfNames,
  optional,
  sequence,
  spaceRule,
  textUpTo,
  withPrefix,
} from "./gbnf-text.js";

export interface HarmonyGrammarOptions {
  from: "start" | "trigger";
  reasoning: "allowed" | "open" | "none";
  /** What the text for the reader must be where the reply may have one, in GBNF. */
  reply?: string | undefined;
}

const [channelFirst, recipientFirst] = ["<|channel|>commentary to=functions.", " to=functions."];
const nextMessage = "<|start|>assistant";
const type = optional(oneOf([sequence('" "?', literal("<|constrain|>json")), literal(" json")]));

export const harmonyTriggers: readonly string[] = [channelFirst, nextMessage + recipientFirst];

/** Without tools there must be a `reply`. */
export function harmonyGrammar(
  tools: readonly GrammarTool[],
  { from, reasoning, reply }: HarmonyGrammarOptions,
): string {
  const hasThoughts = from === "start" && reasoning !== "none";
  const analysis = sequence(literal("<|channel|>analysis<|message|>"), "thoughts", literal(nextMessage));
  const final = sequence(literal("<|channel|>final"), type, literal("<|message|>"), "reply-root");
  const messages = [
    ...(tools.length === 0 ? [] : callsOf(tools, from)),
    ...(reply === undefined ? [] : [final]),
  ];
  return [
    `root ::= ${sequence(hasThoughts ? `(${analysis})*` : "", oneOf(messages))}`,
    ...(hasThoughts ? textUpTo("thoughts", "<|end|>") : []),
    spaceRule,
    ...tools.map((tool, index) => argumentsRules(tool, index)),
    ...(reply === undefined ? [] : [withPrefix(reply, "reply-")]),
    "",
  ].join("\n");
}

function callsOf(tools: readonly GrammarTool[], from: "start" | "trigger"): string[] {
  // Once a reply has begun, a message that names its recipient first begins like this.
  const start = literal(from === "start" ? recipientFirst : nextMessage + recipientFirst);
  const message = (index: number) =>
    sequence(literal("<|message|>"), callArguments(index), optional(literal("<|call|>")));
  const calls = (afterName: string) =>
    oneOfNames(tools.map(({ name }, index) => ({ name, rest: sequence(afterName, message(index)) })));
  return [
    sequence(literal(channelFirst), calls(type)),
    sequence(start, calls(sequence(literal("<|channel|>commentary"), type))),
  ];
}
