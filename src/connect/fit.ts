/**
 * Whether a client can work with a model. A coding agent sends its own prompt and the descriptions of its tools with
 * every request: a context that they fill has no room for files and replies.
 *
 * Where the numbers come from: `firstRequestTokens` is the first request of the real client, in tokens of o200k_base,
 * of the versions in `checked`. `npm run smoke:claude-code` and `npm run test:codex` run both and fail when the
 * client has outgrown it; opencode's was measured once. The least context is about twice that, rounded up to a usual
 * size: half for the client, half for files and a reply. From twice the least on, sessions of many turns fit.
 */
import type { ConnectClient, ConnectModel } from "./client.js";

/** `works`: green, `limited`: amber, `fails`: red. */
export type FitLevel = "works" | "limited" | "fails";

export interface Fit {
  level: FitLevel;
  /** One sentence: what is needed, what there is, and what that means. */
  text: string;
  /** What to ask the operator for, and what it is a matter of; null where nothing is missing. */
  wanted: { what: "model" | "plan"; text: string } | null;
}

/** What the sentence is called in short, everywhere. */
export const fitWords: Record<FitLevel, string> = {
  works: "Works",
  limited: "Limited",
  fails: "Will not work",
};

/** `tokensPerMinute`: of the plan, where it is known. A request that needs more than all of it is always refused. */
export function fitOf(
  { name, needs }: ConnectClient,
  { id, contextTokens, isAssumed, tools }: ConnectModel,
  tokensPerMinute: number | null = null,
): Fit {
  if (needs === undefined) return works(`${name} has no minimum: every model works.`);
  const [least, good] = [needs.leastContextTokens, 2 * needs.leastContextTokens];
  const needsLeast = `${name} needs at least ${inShort(least)} tokens of context`;
  const has = `${id} has ${contextTokens.toLocaleString("en")} here`;
  if (needs.tools && tools === false) {
    const text = `${name} needs tool calls, which ${id} does not support here: it will not work.`;
    return { level: "fails", text, wanted: { what: "model", text: "a model that supports tool calls" } };
  }
  if (isAssumed) {
    const text = `${needsLeast}; how much ${id} has here is not known.`;
    return { level: "limited", text, wanted: modelWith(least) };
  }
  if (contextTokens < least) {
    const text = `${needsLeast}; ${has}: it will not work.`;
    return { level: "fails", text, wanted: modelWith(least) };
  }
  if (tokensPerMinute !== null && tokensPerMinute < least) {
    const text = `${name} needs up to ${inShort(least)} tokens for one request; your plan allows ${tokensPerMinute.toLocaleString("en")} per minute: it will not work.`;
    return { level: "fails", text, wanted: { what: "plan", text: "a plan with more tokens per minute" } };
  }
  if (contextTokens < good) {
    const left = Math.floor((contextTokens - needs.firstRequestTokens) / 1000);
    const text = `${name} works best from ${inShort(good)} tokens of context; ${has}, which leaves about ${left},000 for your files and its replies: enough for short tasks only.`;
    return { level: "limited", text, wanted: modelWith(good) };
  }
  return works(`${needsLeast}; ${has}.`);
}

/** The other models of the list that fit better, best first. */
export function betterModels(
  client: ConnectClient,
  model: ConnectModel,
  models: readonly ConnectModel[],
): ConnectModel[] {
  const rankOf = (one: ConnectModel): number => ranks[fitOf(client, one).level];
  return models
    .filter((one) => !one.isAssumed && rankOf(one) > rankOf(model))
    .sort((a, b) => rankOf(b) - rankOf(a) || b.contextTokens - a.contextTokens);
}

const ranks: Record<FitLevel, number> = { works: 2, limited: 1, fails: 0 };

const works = (text: string): Fit => ({ level: "works", text, wanted: null });

const modelWith = (contextTokens: number): Fit["wanted"] => ({
  what: "model",
  text: `a model with at least ${inShort(contextTokens)} tokens of context`,
});

/** 32,768 → "32k" */
const inShort = (tokens: number): string => `${Math.round(tokens / 1024)}k`;
