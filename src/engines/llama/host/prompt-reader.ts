/** Has a child render and tokenize conversations, and turns what it cannot accept into errors for the client. */
import type { Generation } from "../../../core/ports.js";
import { ServiceError } from "../../../protocol/errors.js";
import type { Conversation, LoadedFacts, PrepareResult } from "../messages.js";
import type { EngineChild } from "./child.js";

export class PromptReader {
  /** By the id of the message; null means that no answer will come. */
  readonly #reading = new Map<number, (result: PrepareResult | null) => void>();

  constructor(private readonly newId: () => number) {}

  /** Null when the child died meanwhile. */
  async read(
    child: EngineChild,
    conversation: Conversation,
    signal: AbortSignal,
  ): Promise<PrepareResult | null> {
    const id = this.newId();
    const result = await new Promise<PrepareResult | null>((resolve) => {
      const settle = (answer: PrepareResult | null) => {
        this.#reading.delete(id);
        signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = () => {
        settle(null);
      };
      signal.addEventListener("abort", onAbort);
      this.#reading.set(id, settle);
      child.send({ type: "prepare", id, conversation });
    });
    signal.throwIfAborted();
    return result;
  }

  answered(id: number, result: PrepareResult): void {
    this.#reading.get(id)?.(result);
  }

  /** The child is gone: nobody will be answered. */
  loseAll(): void {
    for (const settle of this.#reading.values()) settle(null);
  }
}

/** Throws for what is well-formed but more than this model or machine has. */
export function requireFits({ choices, sampling }: Generation, facts: LoadedFacts | undefined): void {
  const { sequences = 0, vocabularySize = 0 } = facts ?? {};
  if (choices > sequences) {
    throw new ServiceError("invalid_value", {
      message: `Invalid value for 'n': this model gives at most ${sequences} choices, but got ${choices}.`,
      param: "n",
    });
  }
  if (sampling.logitBias.some(([token]) => token >= vocabularySize)) {
    throw new ServiceError("invalid_value", {
      message: `Invalid key in 'logit_bias': the tokens of this model are numbered from 0 to ${vocabularySize - 1}.`,
      param: "logit_bias",
    });
  }
}

/** A prompt that fits; throws for any other. */
export function readPromptIn(
  result: PrepareResult,
  contextTokens: number,
): Extract<PrepareResult, { type: "tokens" }> {
  switch (result.type) {
    case "tokens":
      return result;
    case "too_long":
      throw tooLong(contextTokens, result.tokens, result.exact);
    case "refused":
      throw new ServiceError("invalid_value", {
        message: "This model requires alternating 'user' and 'assistant' messages, beginning with 'user'.",
        param: "messages",
      });
    case "failed":
      throw new Error("The engine could not read the prompt.");
  }
}

function tooLong(contextTokens: number, promptTokens: number, exact: boolean): ServiceError {
  const count = `${exact ? "" : "at least "}${promptTokens} tokens`;
  return new ServiceError("context_length_exceeded", {
    message:
      `This model's maximum context length is ${contextTokens} tokens. ` +
      `However, your messages resulted in ${count}. Please reduce the length of the messages.`,
    param: "messages",
  });
}
