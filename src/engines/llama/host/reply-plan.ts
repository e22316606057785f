/** The grammar and the parser of a reply, from the request and the model's syntax. */
import type { Generation } from "../../../core/serving/engine-port.js";
import type { ReplySyntax } from "../../chat-format/reply-syntax.js";
import type { GrammarPlan, ParsingPlan } from "../messages.js";
import { triggersOf, triggersOnlyAtStart } from "../../structured-output/calls/call-grammar.js";
import { holdsFromStart } from "../../structured-output/calls/calls-request.js";
import { harmonyGrammar } from "../../structured-output/calls/harmony-grammar.js";
import { chars, Grammar, optional, repeat, sequence, text } from "../../structured-output/gbnf.js";
import type { Grammars } from "../../structured-output/grammars.js";
import { textUpTo } from "../../structured-output/text-up-to.js";

type Wanted = Pick<Generation, "format" | "tooling" | "accountId">;

/** The grammar without reasoning before it, except that of gpt-oss; undefined: unconstrained. */
export async function grammarPlan(
  { format, tooling, accountId }: Wanted,
  syntax: ReplySyntax,
  grammars: Pick<Grammars, "of" | "ofCalls">,
  signal: AbortSignal,
): Promise<GrammarPlan | undefined> {
  if (tooling === undefined) {
    const gbnf = await grammars.of(format, accountId, signal);
    if (gbnf === undefined) return undefined;
    if (syntax.type !== "harmony") return { gbnf };
    return { gbnf: harmonyGrammar([], { from: "start", reply: gbnf }) };
  }
  const request = { syntax, tooling, format };
  const gbnf = await grammars.ofCalls(request, accountId, signal);
  if (holdsFromStart(request)) return { gbnf };
  return { gbnf, triggers: triggersOf(syntax), onlyAtStart: triggersOnlyAtStart(syntax) };
}

/** Adds the reasoning that a model may write first, or has to end where the prompt opened it. */
export function withReasoning(
  plan: GrammarPlan | undefined,
  syntax: ReplySyntax,
  reasoningOpen: boolean,
): GrammarPlan | undefined {
  if (plan === undefined || plan.triggers !== undefined) return plan;
  if (syntax.type === "harmony" || syntax.reasoning === null) return plan;
  const { open, close } = syntax.reasoning;
  const grammar = new Grammar();
  const upToClose = textUpTo(close, "reasoning", grammar);
  const reasoning = reasoningOpen ? upToClose : optional(sequence(text(open), upToClose));
  const gap = repeat(chars([0xa, 0xa], [0x20, 0x20]), 0, 4);
  return { gbnf: grammar.toText(sequence(reasoning, gap, grammar.embed(plan.gbnf))) ?? "" };
}

/** Undefined when everything the model writes is text. */
export function parsingPlan(
  { tooling }: Wanted,
  syntax: ReplySyntax,
  reasoningOpen: boolean,
): ParsingPlan | undefined {
  const tools = (tooling?.tools ?? []).map(({ name, parameters }) => ({ name, parameters }));
  const isPlain =
    syntax.type !== "harmony" &&
    syntax.reasoning === null &&
    (syntax.type === "generic" || syntax.dropped.length === 0);
  return isPlain && tools.length === 0 ? undefined : { syntax, tools, reasoningOpen };
}

/** Whether a model with this syntax reasons before it replies. */
export const isReasoningModel = (syntax: ReplySyntax): boolean =>
  syntax.type === "harmony" || syntax.reasoning !== null;
