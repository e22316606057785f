/**
 * The grammar of a reply in the format of gpt-oss: calls, or a text that follows a grammar of its own, after any number
 * of messages with reasoning. The recipient of a call may stand before the channel or after it.
 */
import { choice, Grammar, optional, repeat, sequence, text, type Expression } from "../gbnf.js";
import { oneOfNames } from "../text-choice.js";
import { textUpTo } from "../text-up-to.js";
import type { CallGrammarOptions, GrammarTool } from "./call-rules.js";

const [channelFirst, recipientFirst] = ["<|channel|>commentary to=functions.", " to=functions."];
const nextMessage = "<|start|>assistant";
const type = optional(choice(sequence(optional(text(" ")), text("<|constrain|>json")), text(" json")));

export const harmonyTriggers: readonly string[] = [channelFirst, nextMessage + recipientFirst];

/** Without tools there must be a `reply`. */
export function harmonyGrammar(
  tools: readonly GrammarTool[],
  { from, reply }: Omit<CallGrammarOptions, "parallel">,
): string {
  const grammar = new Grammar({ maxElements: Infinity });
  const messages = tools.length === 0 ? [] : callsOf(tools, from, grammar);
  if (reply !== undefined) {
    const content = grammar.embed(reply);
    messages.push(sequence(text("<|channel|>final"), type, text("<|message|>"), content));
  }
  const before = from === "start" ? reasoning(grammar) : text("");
  return grammar.toText(sequence(before, choice(...messages))) ?? "";
}

function reasoning(grammar: Grammar): Expression {
  const content = textUpTo("<|end|>", "reasoning", grammar);
  return repeat(sequence(text("<|channel|>analysis<|message|>"), content, text(nextMessage)), 0);
}

function callsOf(tools: readonly GrammarTool[], from: "start" | "trigger", grammar: Grammar): Expression[] {
  // Once a reply has begun, a message that names its recipient first begins like this.
  const start = text(from === "start" ? recipientFirst : nextMessage + recipientFirst);
  const message = ({ argumentsGrammar }: GrammarTool) =>
    sequence(text("<|message|>"), grammar.embed(argumentsGrammar), optional(text("<|call|>")));
  const calls = (afterName: Expression) =>
    oneOfNames(tools.map((tool) => ({ name: tool.name, rest: sequence(afterName, message(tool)) })));
  return [
    sequence(text(channelFirst), calls(type)),
    sequence(start, calls(sequence(text("<|channel|>commentary"), type))),
  ];
}
