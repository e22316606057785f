/** Has a child render and tokenize prompts, and translates refusals into errors for the client. */
import { systemClock } from "../../../core/clock.js";
import { ServiceError } from "../../../core/errors.js";
import type { VectorTask } from "../../../core/chat/request.js";
import type { Generation } from "../../../core/serving/engine-port.js";
import { FairQueue } from "../../../core/serving/fair-queue.js";
import type { EngineChild } from "./child.js";
import { fewestTokens } from "../fewest-tokens.js";
import type { LoadedFacts, PrepareResult, PromptInput } from "../messages.js";

/** A prompt, or the inputs of a task. */
export type Reading = { accountId: string } & ({ prompt: PromptInput } | { task: VectorTask });

/** One at a time, and accounts in turns: the child has one thread for it. */
const limits = { maxLength: 1_000, maxWaitMs: 30_000 };

export class PromptReader {
  /** By the id of the message; null means that no answer will come. */
  readonly #reading = new Map<number, (result: PrepareResult | null) => void>();
  readonly #queue = new FairQueue({ ...limits, capacity: () => 1, clock: systemClock });

  constructor(private readonly newId: () => number) {}

  /** Null when the child died meanwhile. */
  async read(
    readyChild: () => Promise<Pick<EngineChild, "send">>,
    { accountId, ...reading }: Reading,
    signal: AbortSignal,
  ): Promise<PrepareResult | null> {
    const cost = "task" in reading ? sizeOfTask(reading.task) : sizeOf(reading.prompt);
    const turn = await this.#queue.enter({ accountId, cost, places: 1 }, signal);
    const child = await readyChild().catch((error: unknown) => {
      turn.leave(cost);
      throw error;
    });
    const id = this.newId();
    const result = await new Promise<PrepareResult | null>((resolve) => {
      const onAbort = () => resolve(null);
      signal.addEventListener("abort", onAbort);
      // Even after a hang-up the child is busy until it has answered.
      this.#reading.set(id, (answer) => {
        this.#reading.delete(id);
        signal.removeEventListener("abort", onAbort);
        turn.leave(cost);
        resolve(answer);
      });
      child.send(
        "task" in reading ? { type: "prepare_task", id, ...reading } : { type: "prepare", id, ...reading },
      );
    });
    signal.throwIfAborted();
    return result;
  }

  answered(id: number, result: PrepareResult): void {
    this.#reading.get(id)?.(result);
  }

  /** The child is gone: pending prompts will not be answered. */
  loseAll(): void {
    for (const settle of this.#reading.values()) settle(null);
  }
}

/** How much work it is, about: a message takes as long as so many characters. */
const charsPerMessage = 32;
function sizeOf(prompt: PromptInput): number {
  if (!("messages" in prompt)) {
    if (prompt.type === "tokens") return prompt.tokens.length;
    return prompt.type === "text" ? prompt.text.length : prompt.prefix.length + prompt.suffix.length;
  }
  return prompt.messages.reduce(
    (sum, { content }) => sum + content.length + charsPerMessage,
    charsPerMessage * prompt.tools.length,
  );
}

const sizeOfTask = (task: VectorTask): number => {
  const texts = task.type === "embed" ? task.inputs : task.documents;
  return texts.reduce((sum, { length }) => sum + length + charsPerMessage, 0);
};

/** Throws for what is well-formed but more than this model or machine has. */
export function requireFits(
  { choices, sampling }: Generation,
  prompt: PromptInput,
  { sequences, vocabularySize, contextTokens, template }: LoadedFacts,
): void {
  if (choices > sequences) {
    throw new ServiceError("invalid_value", {
      message: `Invalid value for 'n': this model gives at most ${sequences} choices, but got ${choices}.`,
      param: "n",
    });
  }
  if (sampling.logitBias.some(([token]) => token >= vocabularySize))
    throw unknownToken("key in", "logit_bias", vocabularySize);
  if (!("messages" in prompt)) {
    if (prompt.type === "tokens" && prompt.tokens.some((token) => token >= vocabularySize))
      throw unknownToken("value for", "prompt", vocabularySize);
    return;
  }
  const fewest = fewestTokens(prompt, template);
  if (fewest >= contextTokens) throw tooLong(contextTokens, fewest, false);
}

const unknownToken = (where: string, param: string, vocabularySize: number): ServiceError =>
  new ServiceError("invalid_value", {
    message: `Invalid ${where} '${param}': the tokens of this model are numbered from 0 to ${vocabularySize - 1}.`,
    param,
  });

/** A prompt that fits; throws for any other. */
export function readPromptIn(
  result: PrepareResult,
  contextTokens: number,
  { rawPrompt }: Generation,
): Extract<PrepareResult, { type: "tokens" }> {
  switch (result.type) {
    case "tokens":
      return result;
    case "too_long":
      throw tooLong(
        contextTokens,
        result.tokens,
        result.exact,
        rawPrompt === undefined ? "messages" : "prompt",
      );
    case "refused":
      throw new ServiceError("invalid_value", {
        message: "This model requires alternating 'user' and 'assistant' messages, beginning with 'user'.",
        param: "messages",
      });
    case "no_template":
      throw new ServiceError("unsupported_parameter", {
        message:
          "Unsupported parameter: 'messages'. This model has no chat template: it continues texts. " +
          "Use POST /v1/completions, or another model.",
        param: "messages",
      });
    case "no_infill":
      throw new ServiceError("unsupported_parameter", {
        message:
          "Unsupported parameter: 'suffix'. This model has no tokens for filling in: leave it out, or use a model whose " +
          "'capabilities.infill' is true in GET /v1/models.",
        param: "suffix",
      });
    case "inputs":
    case "input_too_long":
    case "unknown_token":
    case "failed":
      throw new Error("The engine could not read the prompt.");
  }
}

function tooLong(
  contextTokens: number,
  promptTokens: number,
  exact: boolean,
  param: "messages" | "prompt" = "messages",
): ServiceError {
  const count = `${exact ? "" : "at least "}${promptTokens} tokens`;
  return new ServiceError("context_length_exceeded", {
    message:
      `This model's maximum context length is ${contextTokens} tokens. ` +
      `However, your ${param} resulted in ${count}. Please reduce the length of the ${param}.`,
    param,
  });
}
