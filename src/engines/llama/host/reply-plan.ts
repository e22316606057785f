/** The grammar and the parser of a reply, from the request and the model's syntax. */
import type { Generation } from "../../../core/serving/engine-port.js";
import { holdsFromStart } from "../../formats/calls-request.js";
import type { Grammars } from "../../formats/grammars.js";
import { triggersOf, triggersOnlyAtStart } from "../../formats/replies/call-grammar.js";
import { literal, textUpTo, withPrefix } from "../../formats/replies/grammar/gbnf-text.js";
import { harmonyGrammar } from "../../formats/replies/grammar/harmony-grammar.js";
import type { ReplySyntax } from "../../formats/replies/reply-syntax.js";
import type { GrammarPlan, ParsingPlan } from "../messages.js";

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
    return { gbnf: harmonyGrammar([], { from: "start", reasoning: "allowed", reply: gbnf }) };
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
  const reasoning = reasoningOpen ? "reasoning" : `(${literal(open)} reasoning)?`;
  return {
    gbnf: [
      `root ::= ${reasoning} [ \\n]{0,4} reply-root`,
      ...textUpTo("reasoning", close),
      withPrefix(plan.gbnf, "reply-"),
    ].join("\n"),
  };
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
