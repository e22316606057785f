/**
 * Embeddings and rankings by an engine on the network. A task is cut into batches, one request after the other, so
 * that no response is larger than what is read of it, and an abort is noticed between two. Vectors are asked for as
 * base64, which is smaller and quicker to read; engines that do not know it send numbers.
 *
 * Whether an engine does a task at all depends on how it was started, and most do not report it. One that has no such
 * endpoint is not asked again for a while.
 */
import type { VectorInput, VectorTask } from "../../core/chat/request.js";
import type { Clock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import type { EngineTask, GenerationEvent } from "../../core/serving/engine-port.js";
import type { Connection, EngineResponse } from "./connection.js";
import { errorOfResponse, isAboutContext, unavailable } from "./failures.js";
import { countOf, objectOf, parseObject } from "./json-value.js";
import { estimateText } from "./prompt-count.js";
import {
  lacksEndpoint,
  lacksModel,
  readScores,
  readVectors,
  tooLong,
  unsupportedDimensions,
  unsupportedTask,
} from "./vector-reader.js";

/** A response with as many vectors of 4,096 numbers is well below what is read of one. */
const inputsPerBatch = 128;
const refusedMs = 60_000;
const tokensAround = 3;

export interface TaskRequest {
  model: string;
  /** 0: unknown. */
  contextTokens: number;
  cacheFields: Readonly<Record<string, unknown>>;
}

export class VectorTasks {
  readonly #refusedUntilMs = new Map<EngineTask, number>();
  readonly #closing = new AbortController();
  active = 0;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
  ) {}

  get tasks(): EngineTask[] {
    const nowMs = this.clock.monotonicMs();
    return this.connection.profile.tasks.filter((task) => (this.#refusedUntilMs.get(task) ?? 0) <= nowMs);
  }

  close(): void {
    this.#closing.abort();
  }

  async run(
    task: VectorTask,
    request: TaskRequest,
    signal: AbortSignal,
  ): Promise<readonly GenerationEvent[]> {
    this.active += 1;
    const vectors: Float32Array[] = [];
    const scores: number[] = [];
    let promptTokens = 0;
    try {
      for (const batch of batchesOf(task)) {
        const answer = await this.#ask(batch, request, signal);
        const { length } = textsOf(batch);
        if (batch.type === "embed") vectors.push(...readVectors(answer, length, batch.dimensions));
        else scores.push(...readScores(answer, length));
        promptTokens += tokensOf(answer, batch, request);
      }
    } finally {
      this.active -= 1;
    }
    const usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    return [
      task.type === "embed" ? { type: "vectors", choice: 0, vectors } : { type: "scores", choice: 0, scores },
      { type: "finished", choice: 0, finishReason: "stop" },
      { type: "done", usage },
    ];
  }

  async #ask(
    task: VectorTask,
    { model, contextTokens, cacheFields }: TaskRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { path, fields } = requestFor(task);
    const body = { model, ...fields, ...cacheFields };
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const response = await this.connection
      .requestReply(path, { body, signal: either })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw this.#closing.signal.aborted ? unavailable("CLOSED") : error;
      });
    if (response.status !== 200) throw this.#refusalOf(task, response, contextTokens);
    const answer = parseObject(response.text);
    if (answer === null) throw unavailable("INVALID_ANSWER");
    return answer;
  }

  /** Only the engine knows what it takes: what it refuses is explained by what is unusual in the task. */
  #refusalOf(task: VectorTask, { status, text }: EngineResponse, contextTokens: number): ServiceError {
    if (status >= 400 && isAboutContext(text)) return tooLong(task, contextTokens);
    if (lacksModel(status, text)) return unsupportedTask(task);
    if (lacksEndpoint(status, text)) {
      this.#refusedUntilMs.set(task.type, this.clock.monotonicMs() + refusedMs);
      return unsupportedTask(task);
    }
    const isRefused = status === 400 || status === 422;
    if (isRefused && task.type === "embed" && task.dimensions !== undefined) return unsupportedDimensions();
    if (isRefused && task.type === "embed" && task.inputs.some((input) => typeof input !== "string")) {
      return new ServiceError("invalid_value", {
        message: "Invalid value for 'input': this model's engine does not take tokens. Send text.",
        param: "input",
      });
    }
    return errorOfResponse({ status, retryAfter: undefined, body: text }, contextTokens);
  }
}

/** On the high side: it only reserves. Throws `context_length_exceeded` for an input that is certainly too long. */
export function estimateTask(task: VectorTask, contextTokens: number): number {
  const most = contextTokens > 0 ? contextTokens : Infinity;
  const ofQuery = task.type === "rank" ? estimateText(task.query) + tokensAround : 0;
  return textsOf(task).reduce<number>((sum, text, index) => {
    // Hardly any token is longer than 16 characters.
    const least = typeof text === "string" ? Math.floor(text.length / 16) : text.length;
    if (least > most) throw tooLong(task, contextTokens, index);
    const tokens = typeof text === "string" ? estimateText(text) + tokensAround : text.length;
    return sum + ofQuery + tokens;
  }, 0);
}

const textsOf = (task: VectorTask): readonly VectorInput[] =>
  task.type === "embed" ? task.inputs : task.documents;

/** Parts of the task, each of so many texts that one request takes. */
function* batchesOf(task: VectorTask): Generator<VectorTask, void, undefined> {
  for (let from = 0; from < textsOf(task).length; from += inputsPerBatch) {
    const to = from + inputsPerBatch;
    yield task.type === "embed"
      ? { ...task, inputs: task.inputs.slice(from, to) }
      : { ...task, documents: task.documents.slice(from, to) };
  }
}

function requestFor(task: VectorTask): { path: string; fields: object } {
  if (task.type === "embed") {
    const { inputs: input, dimensions } = task;
    return { path: "/v1/embeddings", fields: { input, encoding_format: "base64", dimensions } };
  }
  const { query, documents } = task;
  return { path: "/v1/rerank", fields: { query, documents, top_n: documents.length } };
}

/** As reported, unless that is missing or implausible. */
function tokensOf(answer: unknown, task: VectorTask, { contextTokens }: TaskRequest): number {
  const { prompt_tokens, total_tokens } = objectOf(objectOf(answer).usage);
  const reported = countOf(prompt_tokens) ?? countOf(total_tokens) ?? 0;
  const most = contextTokens > 0 ? contextTokens * textsOf(task).length : Infinity;
  return reported > 0 && reported <= most ? reported : estimateTask(task, 0);
}
