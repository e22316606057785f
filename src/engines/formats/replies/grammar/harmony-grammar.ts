/**
 * The grammar of a call in the format of gpt-oss. The recipient may stand before the channel or after it.
 */
import { argumentsRules, callArguments, type GrammarTool } from "./call-rules.js";
import { literal, oneOf, optional, sequence, spaceRule, textUpTo } from "./gbnf-text.js";

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
  const written = tools.map((tool, index) => {
    const name = literal(tool.name);
    const header = oneOf([
      sequence(literal(channelFirst), name, type),
      sequence(start, name, literal("<|channel|>commentary"), type),
    ]);
    return sequence(header, literal("<|message|>"), callArguments(index), optional(literal("<|call|>")));
  });
  return [
    `root ::= ${sequence(before, oneOf(written))}`,
    ...(before === "" ? [] : textUpTo("thoughts", "<|end|>")),
    spaceRule,
    ...tools.map((tool, index) => argumentsRules(tool, index)),
    "",
  ].join("\n");
}
