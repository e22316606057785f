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
import type { Limits, RateReading } from "./limits.js";
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

  async *run(
    request: ChatRequest,
    caller: KeyRecord,
    signal: AbortSignal,
    trace: CompletionTrace = {},
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const running = { accountId: caller.account.id, keyId: caller.key.id, abort: new AbortController() };
    const follow = () => {
      running.abort.abort(signal.reason);
    };
    signal.addEventListener("abort", follow, { once: true });
    if (signal.aborted) follow();
    this.#running.add(running);
    try {
      yield* this.#admitted(request, caller, running.abort.signal, trace);
    } finally {
      this.#running.delete(running);
      signal.removeEventListener("abort", follow);
    }
  }

  async *#admitted(
    request: ChatRequest,
    caller: KeyRecord,
    signal: AbortSignal,
    trace: CompletionTrace,
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const { limits, queueOf, clock, engine } = this.parts;
    const model = requireModel(request.model);
    trace.model = model;
    requirePermission(caller, model);
    const refusal = this.#refusal ?? this.parts.refusal?.() ?? null;
    if (refusal !== null) throw refusal;

    const queue = queueOf(model);
    queue.requireRoom();
    const lease = await limits.acquireLease(caller);
    try {
      await limits.requireTokens(caller);
      const prepared = capped(await engine.prepare(generationOf(request, model, caller), signal), caller);
      trace.promptTokens = prepared.promptTokens;
      const cost = prepared.promptTokens + prepared.maxTokens * request.choices;
      const reservation = await limits.reserveTokens(caller, cost);
      let used = 0;
      try {
        const queuedAt = clock.monotonicMs();
        const slot = await queue.enter(caller.account.id, cost, signal);
        trace.queuedMs = clock.monotonicMs() - queuedAt;
        try {
          yield {
            type: "admitted",
            model,
            promptTokens: prepared.promptTokens,
            tokenRates: reservation.rates,
          };
          used = prepared.promptTokens;
          for await (const event of this.#generate(prepared, signal, trace)) {
            used = prepared.promptTokens + (trace.completionTokens ?? 0);
            yield event;
          }
        } finally {
          slot.leave(used);
        }
      } finally {
        await reservation.settle(used);
      }
    } finally {
      lease.release();
    }
  }

  async *#generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
    trace: CompletionTrace,
  ): AsyncGenerator<GenerationEvent, void, undefined> {
    const { clock, engine, onTokenGap } = this.parts;
    const { model } = prepared.generation;
    const startedMs = clock.monotonicMs();
    let lastMs: number | undefined;
    let finished = false;
    for await (const event of engine.generate(prepared, signal)) {
      const nowMs = clock.monotonicMs();
      trace.firstTokenMs ??= nowMs - startedMs;
      if (event.type === "text") {
        if (lastMs !== undefined) onTokenGap?.(model, nowMs - lastMs);
        lastMs = nowMs;
      }
      if (event.type === "done") {
        finished = true;
        trace.completionTokens = event.usage.completionTokens;
      } else if (event.type === "text") {
        // Fragments are at most one token each or several at once; `done` brings the exact number.
        trace.completionTokens = (trace.completionTokens ?? 0) + 1;
      }
      yield event;
    }
    // The port promises this never happens. If an engine breaks the promise, the client must not be told
    // that an empty or cut reply was a success.
    if (!finished) throw new ServiceError("engine_unavailable", { message: "The reply ended early." });
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
