/**
 * The grammar of a call in the format of gpt-oss. The recipient may stand before the channel or after it.
 */
import { argumentsRules, callArguments, type GrammarTool } from "./call-rules.js";
import { literal, oneOf, oneOfNames, optional, sequence, spaceRule, textUpTo } from "./gbnf-text.js";

export interface HarmonyGrammarOptions {
  from: "start" | "trigger";
  reasoning: "allowed" | "open" | "none";
}

const [channelFirst, recipientFirst] = ["<|channel|>commentary to=functions.", " to=functions."];
const nextMessage = "<|start|>assistant";

export const harmonyTriggers: readonly string[] = [channelFirst, nextMessage + recipientFirst];

export function harmonyGrammar(
  tools: readonly GrammarTool[],
  { from, reasoning }: HarmonyGrammarOptions,
): string {
  const analysis = sequence(literal("<|channel|>analysis<|message|>"), "thoughts", literal(nextMessage));
  const before = from === "start" && reasoning !== "none" ? optional(analysis) : "";
  // Once a reply has begun, a message that names its recipient first begins like this.
  const start = literal(from === "start" ? recipientFirst : nextMessage + recipientFirst);
  const type = optional(oneOf([sequence('" "?', literal("<|constrain|>json")), literal(" json")]));
  const message = (index: number) =>
    sequence(literal("<|message|>"), callArguments(index), optional(literal("<|call|>")));
  const calls = (afterName: string) =>
    oneOfNames(tools.map(({ name }, index) => ({ name, rest: sequence(afterName, message(index)) })));
  const either = oneOf([
    sequence(literal(channelFirst), calls(type)),
    sequence(start, calls(sequence(literal("<|channel|>commentary"), type))),
  ]);
  return [
    `root ::= ${sequence(before, either)}`,
    ...(before === "" ? [] : textUpTo("thoughts", "<|end|>")),
    spaceRule,
    ...tools.map((tool, index) => argumentsRules(tool, index)),
    "",
  ].join("\n");
}
