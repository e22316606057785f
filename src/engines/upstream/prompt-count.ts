/**
 * Counts the tokens of a prompt before it runs. An engine that can tokenize does it, within a short time limit; when
 * it cannot, or does not answer in time, the count is an estimate on the high side, since it only reserves: the
 * engine's usage settles it in the end. After a failure the engine is not asked for a while, so that its slowness
 * delays one request and not all of them. Images are always estimated: engines count the text around them, or would
 * have to compute them first.
 */
import { imagesIn, withoutImages } from "../../core/chat/images.js";
import type { RawPrompt } from "../../core/chat/request.js";
import type { Clock } from "../../core/clock.js";
import type { Connection } from "./connection.js";
import { estimateImages, isConversation, promptFields, type PromptInput } from "./conversation.js";
import { countOf, listOf, textOf } from "./json-value.js";

export interface PromptCount {
  tokens: number;
  isExact: boolean;
}

const pauseAfterFailureMs = 10_000;
/** Roles and markers around a message. */
const tokensAroundMessage = 8;
const tokensAroundTools = 150;

export class PromptCounter {
  #pausedUntilMs = 0;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
  ) {}

  async count(model: string, prompt: PromptInput, signal: AbortSignal): Promise<PromptCount> {
    const images = isConversation(prompt) ? imagesIn(prompt.messages) : [];
    if (!isConversation(prompt) || images.length === 0) return this.#countText(model, prompt, signal);
    const text = { ...prompt, messages: withoutImages(prompt.messages) };
    const { tokens } = await this.#countText(model, text, signal);
    return { tokens: tokens + estimateImages(images), isExact: false };
  }

  async #countText(model: string, prompt: PromptInput, signal: AbortSignal): Promise<PromptCount> {
    if (!isConversation(prompt) && prompt.type === "tokens") {
      return { tokens: prompt.tokens.length, isExact: true };
    }
    const estimate = { tokens: estimateTokens(prompt), isExact: false };
    // How an engine marks the texts around a gap, and what it leaves out of them, is known to it alone.
    if (!isConversation(prompt) && prompt.type === "infill") return estimate;
    if (this.connection.profile.counting === "none" || this.clock.monotonicMs() < this.#pausedUntilMs)
      return estimate;
    try {
      return { tokens: await this.#tokenize(model, prompt, signal), isExact: true };
    } catch {
      signal.throwIfAborted();
      this.#pausedUntilMs = this.clock.monotonicMs() + pauseAfterFailureMs;
      return estimate;
    }
  }

  async #tokenize(model: string, input: PromptInput, signal: AbortSignal): Promise<number> {
    const { profile, timeouts } = this.connection;
    const timeoutMs = timeouts.countMs;
    const prompt = promptFields(profile, input);
    if (profile.counting === "messages") {
      const added = isConversation(input) ? { add_generation_prompt: true } : { add_special_tokens: true };
      const body = { model, ...prompt, ...added };
      const { count } = await this.connection.requestJson("/tokenize", { timeoutMs, signal, body });
      return required(countOf(count));
    }
    // The two steps share one limit.
    const endsMs = this.clock.monotonicMs() + timeoutMs;
    const template = { timeoutMs, signal, body: prompt };
    const rendered = isConversation(input)
      ? await this.connection.requestJson("/apply-template", template)
      : prompt;
    const leftMs = Math.max(1, Math.ceil(endsMs - this.clock.monotonicMs()));
    const body = { content: required(textOf(rendered.prompt)), add_special: true, parse_special: true };
    const { tokens } = await this.connection.requestJson("/tokenize", { timeoutMs: leftMs, signal, body });
    return listOf(required(tokens)).length;
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The engine's response lacks a field.");
  return value;
}

function estimateTokens(input: PromptInput): number {
  if (!isConversation(input)) return tokensAroundMessage + estimateRaw(input);
  const { messages, tooling } = input;
  let tokens = 0;
  for (const { content, toolCalls = [], reasoning = "" } of messages) {
    tokens += tokensAroundMessage + estimateText(content) + estimateText(reasoning);
    for (const call of toolCalls) tokens += tokensAroundMessage + estimateText(call.name + call.arguments);
  }
  // Chat templates write tools as JSON, with instructions on how to call them.
  if (tooling !== undefined) tokens += tokensAroundTools + estimateText(JSON.stringify(tooling.tools));
  return tokens;
}

function estimateRaw(prompt: RawPrompt): number {
  if (prompt.type === "tokens") return prompt.tokens.length;
  return prompt.type === "text"
    ? estimateText(prompt.text)
    : estimateText(prompt.prefix) + estimateText(prompt.suffix);
}

/** High for every script: three bytes per token for ASCII, where four are typical, and two for the rest. */
export function estimateText(text: string): number {
  const bytes = Buffer.byteLength(text);
  const wide = bytes - text.length;
  return Math.ceil((bytes - wide) / 3 + wide / 2);
}

/** A lower bound: hardly any token is longer than 16 characters. */
export function minTokens(input: PromptInput): number {
  const fewest = (text: string): number => Math.floor(text.length / 16);
  if (isConversation(input)) return input.messages.reduce((sum, { content }) => sum + fewest(content), 0);
  switch (input.type) {
    case "text":
      return fewest(input.text);
    case "tokens":
      return input.tokens.length;
    case "infill":
      // llama-server takes as much of the two texts as fits.
      return 0;
  }
}
