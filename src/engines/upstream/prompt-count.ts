/**
 * How many tokens a prompt has, before it runs. An engine that can count is asked, in one short wait; when it
 * cannot, or does not answer in time, the count is estimated on the high side, since it only reserves: what is
 * used in the end is the engine's own number. An engine that failed to count is left alone for a while, so that
 * its slowness is paid for once and not with every request.
 */
import type { Clock } from "../../core/clock.js";
import type { ChatMessage } from "../../protocol/chat.js";
import type { Connection } from "./connection.js";
import { promptFields, type Conversation } from "./conversation.js";
import { countOf, listOf, textOf } from "./json-value.js";
import type { Profile } from "./profiles.js";

export interface PromptCount {
  tokens: number;
  /** False: an estimate. */
  exact: boolean;
}

const pauseAfterFailureMs = 10_000;
/** Roles and markers around a message. */
const tokensAroundMessage = 8;
const tokensAroundTools = 150;

export class PromptCounter {
  #pausedUntilMs = 0;

  constructor(
    private readonly connection: Connection,
    private readonly profile: Profile,
    private readonly timeoutMs: number,
    private readonly clock: Clock,
  ) {}

  async count(model: string, conversation: Conversation, signal: AbortSignal): Promise<PromptCount> {
    const estimate = { tokens: estimateTokens(conversation), exact: false };
    if (this.profile.counting === "none" || this.clock.monotonicMs() < this.#pausedUntilMs) return estimate;
    try {
      return { tokens: await this.#ask(model, conversation, signal), exact: true };
    } catch {
      signal.throwIfAborted();
      this.#pausedUntilMs = this.clock.monotonicMs() + pauseAfterFailureMs;
      return estimate;
    }
  }

  async #ask(model: string, conversation: Conversation, signal: AbortSignal): Promise<number> {
    const prompt = promptFields(this.profile, conversation);
    if (this.profile.counting === "messages") {
      const answer = await this.connection.askJson("/tokenize", this.timeoutMs, signal, {
        model,
        ...prompt,
        add_generation_prompt: true,
      });
      return required(countOf(answer.count));
    }
    // The two steps share one limit.
    const endsMs = this.clock.monotonicMs() + this.timeoutMs;
    const rendered = await this.connection.askJson("/apply-template", this.timeoutMs, signal, prompt);
    const leftMs = Math.max(1, Math.ceil(endsMs - this.clock.monotonicMs()));
    const answer = await this.connection.askJson("/tokenize", leftMs, signal, {
      content: required(textOf(rendered.prompt)),
      add_special: true,
      parse_special: true,
    });
    return listOf(required(answer.tokens)).length;
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The engine's answer lacks what was asked for.");
  return value;
}

function estimateTokens({ messages, tooling }: Conversation): number {
  const spoken = messages.reduce((sum, { content, toolCalls = [], reasoning = "" }) => {
    const calls = toolCalls.map((call) => tokensAroundMessage + estimateText(call.name + call.arguments));
    const inCalls = calls.reduce((total, tokens) => total + tokens, 0);
    return sum + tokensAroundMessage + estimateText(content) + estimateText(reasoning) + inCalls;
  }, 0);
  // Chat templates write tools as the JSON that they came as, with some words of their own about how to call.
  return tooling === undefined
    ? spoken
    : spoken + tokensAroundTools + estimateText(JSON.stringify(tooling.tools));
}

/** High for every script: about three bytes a token for ASCII, where four are usual, and two for the rest. */
function estimateText(text: string): number {
  const bytes = Buffer.byteLength(text);
  const wide = bytes - text.length;
  return Math.ceil((bytes - wide) / 3 + wide / 2);
}

/** A prompt has at least so many tokens: hardly any token is longer. */
export const fewestTokens = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + Math.floor(content.length / 16), 0);
