/**
 * One completion from admission to settlement, as one async generator.
 *
 * admit: the model exists, the key may use it, the plan and the queue have room, the prompt fits. Every fault
 * of this part is thrown before the first event, so that HTTP can still answer with a status.
 * run: the engine's events pass through.
 * settle: in `finally`, whatever happened: tokens to what was used, lease and slot given back.
 *
 * The caller's signal reaches every wait. A consumer that stops iterating settles too.
 */
import type { ChatRequest } from "../protocol/chat.js";
import { ServiceError } from "../protocol/errors.js";
import { isModelId, modelIds, type ModelId } from "../protocol/models.js";
import type { FairQueue } from "./fair-queue.js";
import type { Limits, RateReading, TokenReservation } from "./limits.js";
import type { Clock, Engine, GenerationEvent, KeyRecord, PreparedGeneration } from "./ports.js";

export type CompletionEvent =
  | {
      type: "admitted";
      model: ModelId;
      promptTokens: number;
      tokenRates: RateReading;
    }
  | GenerationEvent;

/** What may be told about a completion: numbers and names of ours. There is no field for content. */
export interface CompletionTrace {
  model?: ModelId;
  promptTokens?: number;
  completionTokens?: number;
  queuedMs?: number;
  firstTokenMs?: number;
}

export interface CompletionParts {
  engine: Engine;
  limits: Limits;
  /** The queue in front of the engine that answers for the model now. */
  queueOf: (model: ModelId) => FairQueue;
  clock: Clock;
  /** What new completions are refused with now, whoever asks; null to let them in. */
  refusal?: () => ServiceError | null;
  /** Told of the time between two fragments of a reply. */
  onTokenGap?: (model: ModelId, gapMs: number) => void;
  /** Told of tokens as they are produced, by the fragment; at the end, of those that fragments held together. */
  onTokens?: (model: ModelId, tokens: number) => void;
}

/** Whose runs to end. */
export type CutTarget = { accountId: string } | { keyId: string };

interface Running {
  accountId: string;
  keyId: string;
  abort: AbortController;
}

export class Completions {
  #refusal: ServiceError | null = null;
  readonly #running = new Set<Running>();

  constructor(private readonly parts: CompletionParts) {}

  /** From now on new requests get this error; null admits them again. Running ones go on. */
  refuseNew(error: ServiceError | null): void {
    this.#refusal = error;
  }

  /** Ends what a revoked key or a suspended account has waiting or running, with the error a new request gets. */
  cut(target: CutTarget): void {
    for (const running of this.#running) {
      const hit = "keyId" in target ? running.keyId === target.keyId : running.accountId === target.accountId;
      if (hit) running.abort.abort(new ServiceError("invalid_api_key"));
    }
  }

  /** Ends everything that is waiting or running with this error. */
  endAll(reason: ServiceError): void {
    for (const running of this.#running) running.abort.abort(reason);
  }

  /** How many are waiting or running, from admission to settlement. */
  get active(): number {
    return this.#running.size;
  }

  /** One generator for the whole of it: every layer between the engine and the client is paid for each token. */
  async *run(
    request: ChatRequest,
    caller: KeyRecord,
    clientSignal: AbortSignal,
    trace: CompletionTrace = {},
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const running = { accountId: caller.account.id, keyId: caller.key.id, abort: new AbortController() };
    const { signal } = running.abort;
    const follow = () => {
      running.abort.abort(clientSignal.reason);
    };
    clientSignal.addEventListener("abort", follow, { once: true });
    if (clientSignal.aborted) follow();
    this.#running.add(running);
    let admission: Admission | undefined;
    try {
      admission = await this.#admit(request, caller, signal, trace);
      const { prepared, tokenRates } = admission;
      const { model } = prepared.generation;
      yield { type: "admitted", model, promptTokens: prepared.promptTokens, tokenRates };
      const progress = new Progress(this.parts, model, trace);
      for await (const event of this.parts.engine.generate(prepared, signal)) {
        progress.note(event);
        yield event;
      }
      // The port promises this never happens. If an engine breaks the promise, the client must not be told
      // that an empty or cut reply was a success.
      if (!progress.isDone) {
        throw new ServiceError("engine_unavailable", { message: "The reply ended early." });
      }
    } finally {
      await admission?.settle((trace.promptTokens ?? 0) + (trace.completionTokens ?? 0));
      this.#running.delete(running);
      clientSignal.removeEventListener("abort", follow);
    }
  }

  /** Rejects with everything given back. */
  async #admit(
    request: ChatRequest,
    caller: KeyRecord,
    signal: AbortSignal,
    trace: CompletionTrace,
  ): Promise<Admission> {
    const { limits, queueOf, clock, engine } = this.parts;
    const model = requireModel(request.model);
    trace.model = model;
    requirePermission(caller, model);
    const refusal = this.#refusal ?? this.parts.refusal?.() ?? null;
    if (refusal !== null) throw refusal;

    const queue = queueOf(model);
    queue.requireRoom(request.choices);
    const lease = await limits.acquireLease(caller);
    let reservation: TokenReservation | undefined;
    try {
      await limits.requireTokens(caller);
      const prepared = capped(await engine.prepare(generationOf(request, model, caller), signal), caller);
      trace.promptTokens = prepared.promptTokens;
      const cost = prepared.promptTokens + prepared.maxTokens * request.choices;
      reservation = await limits.reserveTokens(caller, cost);
      const queuedAt = clock.monotonicMs();
      const slot = await queue.enter({ accountId: caller.account.id, cost, places: request.choices }, signal);
      trace.queuedMs = clock.monotonicMs() - queuedAt;
      const reserved = reservation;
      return {
        prepared,
        tokenRates: reserved.rates,
        settle: async (used) => {
          slot.leave(used);
          await reserved.settle(used);
          lease.release();
        },
      };
    } catch (error) {
      await reservation?.settle(0);
      lease.release();
      throw error;
    }
  }
}

/** What a completion holds from its admission on. */
interface Admission {
  prepared: PreparedGeneration;
  tokenRates: RateReading;
  /** Gives everything back, and counts what was used. */
  settle: (used: number) => Promise<void>;
}

/** Follows a generation for the trace and the metrics. */
class Progress {
  isDone = false;
  #lastMs: number | undefined;
  readonly #startedMs: number;

  constructor(
    private readonly parts: Pick<CompletionParts, "clock" | "onTokenGap" | "onTokens">,
    private readonly model: ModelId,
    private readonly trace: CompletionTrace,
  ) {
    this.#startedMs = parts.clock.monotonicMs();
  }

  note(event: GenerationEvent): void {
    const { trace } = this;
    const nowMs = this.parts.clock.monotonicMs();
    trace.firstTokenMs ??= nowMs - this.#startedMs;
    if (event.type === "done") {
      this.isDone = true;
      const uncounted = event.usage.completionTokens - (trace.completionTokens ?? 0);
      if (uncounted > 0) this.parts.onTokens?.(this.model, uncounted);
      trace.completionTokens = event.usage.completionTokens;
      // Before the run it may have been an estimate.
      trace.promptTokens = event.usage.promptTokens;
    } else if (event.type === "text") {
      // Fragments are at most one token each or several at once; `done` brings the exact number.
      trace.completionTokens = (trace.completionTokens ?? 0) + 1;
      this.parts.onTokens?.(this.model, 1);
      if (this.#lastMs !== undefined) this.parts.onTokenGap?.(this.model, nowMs - this.#lastMs);
      this.#lastMs = nowMs;
    }
  }
}

function requireModel(name: string): ModelId {
  if (isModelId(name)) return name;
  throw new ServiceError("model_not_found", { param: "model" });
}

function requirePermission({ key, plan }: KeyRecord, model: ModelId): void {
  if (key.operations !== null && !key.operations.includes("chat")) {
    throw new ServiceError("insufficient_permissions", {
      message: "This API key may not create chat completions. Use a key that allows the operation 'chat'.",
    });
  }
  if (key.models !== null && !key.models.includes(model)) {
    const allowed = modelIds.filter((id) => key.models?.includes(id));
    throw new ServiceError("insufficient_permissions", {
      message: `This API key may not use the model '${model}'. It may use: ${allowed.join(", ")}.`,
      param: "model",
    });
  }
  if (plan.models !== null && !plan.models.includes(model)) {
    throw new ServiceError("insufficient_permissions", {
      message: `The plan '${plan.name}' does not include the model '${model}'.`,
      param: "model",
    });
  }
}

/** The plan's largest reply holds whatever was asked for, silently, as the context's end does. */
function capped(prepared: PreparedGeneration, { plan }: KeyRecord): PreparedGeneration {
  if (plan.maxTokens === null || plan.maxTokens >= prepared.maxTokens) return prepared;
  return { ...prepared, maxTokens: plan.maxTokens };
}

function generationOf(request: ChatRequest, model: ModelId, caller: KeyRecord) {
  return {
    model,
    accountId: caller.account.id,
    messages: request.messages,
    sampling: request.sampling,
    stop: request.stop,
    maxTokens: request.maxTokens,
    choices: request.choices,
    topLogprobs: request.topLogprobs,
    format: request.format,
  };
}
