/**
 * One completion from admission to settlement, as one async generator.
 *
 * admit: the model exists, the key may use it, the plan and the queue have room, the prompt fits. Every error
 * of this part is thrown before the first event, so that HTTP can still answer with a status.
 * The model may have a substitute (substitutes.ts): it is tried where the engine is down, its queue is full, or it fails
 * before anything was announced; never after that. The request counts once, and its error is that of the model it named.
 * run: the engine's events pass through.
 * settle: in `finally`, whatever happened: tokens are corrected to what was used, lease and slot released.
 * What it asks of the counters, and when: `admission.ts`.
 *
 * The caller's signal reaches every wait. Given its controller, the end of the permission aborts that controller.
 * A consumer that stops iterating settles as well.
 */
import type { ChatRequest } from "../chat/request.js";
import type { KeyRecord } from "../entities.js";
import { ServiceError } from "../errors.js";
import type { Admission } from "../limits/admission.js";
import type { Limits } from "../limits/limits.js";
import { ModelNames } from "../model-aliases.js";
import type { ModelId } from "../models.js";
import { begun } from "./begun-events.js";
import {
  type Engine,
  type Generation,
  type GenerationEvent,
  isAvailable,
  type PreparedGeneration,
} from "./engine-port.js";
import type { FairQueue, Slot } from "./fair-queue.js";
import { type Fairness, partyOf } from "./party.js";
import { mayUse, requirePermission } from "./permission.js";
import { generateInTurn } from "./prompts-in-turn.js";
import { requireTask } from "./required-task.js";
import { Running, type RunningParts } from "./running.js";
import { isSubstitutable, type Substitutes, substitutesOf } from "./substitutes.js";

export interface AdmittedEvent {
  type: "admitted";
  /** The one that answers. */
  model: ModelId;
  promptTokens: number;
  /** When its turn came, on the monotonic clock. */
  startedMs: number;
}

/** The admission comes first, then batches of the engine's events. */
export type CompletionArrival = AdmittedEvent | readonly GenerationEvent[];

/** What may be logged about a completion: numbers, and names from closed sets. There is no field for content. */
export interface CompletionTrace {
  model?: ModelId;
  promptTokens?: number;
  completionTokens?: number;
  queuedMs?: number;
  firstTokenMs?: number;
}

export interface CompletionParts extends RunningParts {
  engine: Engine;
  limits: Limits;
  /** What clients may call the models; without it, by their own names only. */
  names?: ModelNames;
  /** The queue before the engine that answers for the model now, or before the one that prepared a generation. */
  queueOf: (model: ModelId, prepared?: PreparedGeneration) => FairQueue;
  /** Whose turns and caches are told apart; by default members of teams. */
  fairness?: Fairness | undefined;
  /** By default none has one. */
  substitutes?: Substitutes;
  /** The error that all new completions get now; null to admit them. */
  refusal?: () => ServiceError | null;
  /** Called with the time since the last tokens of a reply, and how many arrived together after it. */
  onTokenGap?: (model: ModelId, gapMs: number, tokens: number) => void;
  /** Called with the number of tokens as they are produced, by the fragment; at the end, with those not yet counted. */
  onTokens?: (model: ModelId, tokens: number) => void;
}

export class Completions {
  #refusal: ServiceError | null = null;
  /** What is waiting or running, and how it is ended. */
  readonly running: Running;
  /** Which model a request means. */
  readonly names: ModelNames;
  /** Which model answers for another that cannot. */
  readonly substitutes: Substitutes;

  constructor(private readonly parts: CompletionParts) {
    this.running = new Running(parts);
    this.names = parts.names ?? new ModelNames();
    this.substitutes = parts.substitutes ?? {};
  }

  /** From now on new requests get this error; null admits them again. Running ones go on. */
  refuseNew(error: ServiceError | null): void {
    this.#refusal = error;
  }

  /** How many are waiting or running, from admission to settlement. */
  get active(): number {
    return this.running.size;
  }

  /**
   * One generator for the whole of it: every layer between the engine and the client costs time for each arrival.
   * `verifiedMs` is a time, on the monotonic clock, before which the caller had not been verified. Without an
   * `admission`, the request was counted before.
   */
  async *run(
    request: ChatRequest,
    caller: KeyRecord,
    client: AbortSignal | AbortController,
    trace: CompletionTrace = {},
    verifiedMs: number = this.parts.clock.monotonicMs(),
    admission: Admission = this.parts.limits.enter(caller, { isCounted: true }),
  ): AsyncGenerator<CompletionArrival, void, undefined> {
    const run = this.running.enter(caller, this.names.find(request.model), client, verifiedMs);
    const { signal } = run;
    let admitted: Admitted | undefined;
    try {
      admitted = await this.#admit(request, caller, signal, trace, admission);
      const { model, promptTokens, startedMs } = admitted;
      run.answeredBy(model);
      yield { type: "admitted", model, promptTokens, startedMs };
      const progress = new Progress(this.parts, model, trace, startedMs);
      for await (const events of admitted.events) {
        progress.note(events);
        yield events;
      }
      // The port promises this never happens. If an engine breaks the promise, the client must not be told
      // that an empty or cut reply was a success.
      if (!progress.isDone) {
        throw new ServiceError("engine_unavailable", { message: "The reply ended early." });
      }
    } finally {
      await admitted?.settle((trace.promptTokens ?? 0) + (trace.completionTokens ?? 0));
      run.leave();
    }
  }

  /**
   * How many tokens the prompt has. Passes the checks of a completion up to there, and holds a lease while the engine
   * reads it, since that is work like a completion's; it takes no place in the queue and no tokens.
   */
  async count(
    request: ChatRequest,
    caller: KeyRecord,
    clientSignal: AbortSignal,
    verifiedMs: number = this.parts.clock.monotonicMs(),
    admission: Admission = this.parts.limits.enter(caller, { isCounted: true }),
  ): Promise<number> {
    const run = this.running.enter(caller, this.names.find(request.model), clientSignal, verifiedMs);
    try {
      const generations = generationsOf(
        request,
        this.#requireAllowed(request, caller),
        partyOf(caller, this.parts.fairness),
      );
      await admission.lease();
      run.signal.throwIfAborted();
      let promptTokens = 0;
      for (const generation of generations)
        promptTokens += (await this.parts.engine.prepare(generation, run.signal)).promptTokens;
      return promptTokens;
    } finally {
      await admission.settle(null);
      run.leave();
    }
  }

  /** The model, if it exists, the caller may use it and new requests are admitted. */
  #requireAllowed(request: ChatRequest, caller: KeyRecord, trace: CompletionTrace = {}): ModelId {
    const model = this.names.require(request.model);
    trace.model = model;
    requirePermission(caller, model);
    requireTask(request, model, this.parts.engine.status(model));
    const refusal = this.#refusal ?? this.parts.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
    return model;
  }

  /** Rejects with everything released. */
  async #admit(
    request: ChatRequest,
    caller: KeyRecord,
    signal: AbortSignal,
    trace: CompletionTrace,
    admission: Admission,
  ): Promise<Admitted> {
    const asked = this.#requireAllowed(request, caller, trace);
    const candidates = this.#candidatesFor(asked, caller);
    let failure = candidates[0] === asked ? undefined : new ServiceError("engine_unavailable");
    for (const model of candidates) {
      const isLast = model === candidates.at(-1);
      try {
        trace.model = model;
        return await this.#admitTo(model, { request, caller, signal, trace, admission, isLast });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ServiceError) || error.status === 429) throw error;
        // What a substitute cannot do, a shorter context or no tools, is no error of a request for another model.
        failure ??= error;
        if (isLast || !isSubstitutable(error)) break;
        delete trace.promptTokens;
        delete trace.queuedMs;
      }
    }
    trace.model = asked;
    throw failure ?? new ServiceError("engine_unavailable");
  }

  /** The model, and those that may answer for it. Where one is down and another is not, it is left out. */
  #candidatesFor(asked: ModelId, caller: KeyRecord): ModelId[] {
    const others = substitutesOf(asked, this.substitutes).filter((model) => mayUse(caller, model));
    if (others.length === 0) return [asked];
    const up = [asked, ...others].filter((model) => isAvailable(this.parts.engine.status(model)));
    return up.length === 0 ? [asked] : up;
  }

  async #admitTo(model: ModelId, attempt: Attempt): Promise<Admitted> {
    const { request, caller, signal, trace, admission } = attempt;
    const { queueOf, clock, engine, fairness } = this.parts;
    const accountId = partyOf(caller, fairness);
    let slot: Slot | undefined;
    const entrant = {
      accountId,
      places: request.choices,
      weight: caller.plan.weight,
      isFlex: request.serviceTier === "flex",
    };
    queueOf(model).requireRoom(entrant);
    try {
      // A model that is being loaded may take a minute.
      const held = admission.hold({ isLong: () => engine.status(model).state !== "ready" });
      if (held !== undefined) await held;
      const prepared: PreparedGeneration[] = [];
      let [promptTokens, cost] = [0, 0];
      for (const generation of generationsOf(request, model, accountId)) {
        const one = capped(await engine.prepare(generation, signal), caller);
        prepared.push(one);
        promptTokens += one.promptTokens;
        cost += one.promptTokens + one.maxTokens * request.choices;
      }
      trace.promptTokens = promptTokens;
      await admission.reserve(cost, promptTokens);
      const queuedAt = clock.monotonicMs();
      // The model may have been switched to another engine meanwhile.
      const queue = queueOf(model, prepared[0]);
      slot = await queue.enter({ cost, ...entrant }, signal);
      const startedMs = clock.monotonicMs();
      trace.queuedMs = startedMs - queuedAt;
      const start = (until: AbortSignal) => generate(engine, prepared, until);
      const run = attempt.isLast ? { events: start(signal) } : await begun(start, signal);
      return {
        model,
        promptTokens,
        startedMs,
        events: run.events,
        settle: (used) => {
          if ("end" in run) run.end();
          slot?.leave(used);
          return admission.settle(used);
        },
      };
    } catch (error) {
      slot?.leave(0);
      await admission.settle(null);
      throw error;
    }
  }
}

/** A request on its way to one of the models that may answer it. */
interface Attempt {
  request: ChatRequest;
  caller: KeyRecord;
  signal: AbortSignal;
  trace: CompletionTrace;
  admission: Admission;
  /** No other model is left. */
  isLast: boolean;
}

/** What a completion holds from its admission on. */
interface Admitted {
  model: ModelId;
  promptTokens: number;
  /** When its turn came. */
  startedMs: number;
  events: AsyncIterable<readonly GenerationEvent[]>;
  /** Releases everything, and counts what was used. */
  settle: (used: number) => Promise<void>;
}

/** Follows a generation for the trace and the metrics. */
class Progress {
  isDone = false;
  #lastMs: number | undefined;

  constructor(
    private readonly parts: Pick<CompletionParts, "clock" | "onTokenGap" | "onTokens">,
    private readonly model: ModelId,
    private readonly trace: CompletionTrace,
    private readonly startedMs: number,
  ) {}

  note(events: readonly GenerationEvent[]): void {
    const { trace } = this;
    const nowMs = this.parts.clock.monotonicMs();
    trace.firstTokenMs ??= nowMs - this.startedMs;
    const tokensBefore = trace.completionTokens ?? 0;
    // A fragment may be less than a token or several of them; `done` brings the exact number.
    let fragments = 0;
    let tokens = 0;
    // Those of one choice: others are sampled at the same time.
    let choice: number | undefined;
    let ofChoice = 0;
    for (const event of events) {
      if (event.type === "done") {
        this.isDone = true;
        tokens = event.usage.completionTokens - tokensBefore;
        trace.completionTokens = event.usage.completionTokens;
        // Before the run it may have been an estimate.
        trace.promptTokens = event.usage.promptTokens;
      } else if (event.type !== "finished" && event.type !== "vectors" && event.type !== "scores") {
        fragments += 1;
        choice ??= event.choice;
        if (event.choice === choice) ofChoice += 1;
      }
    }
    tokens = Math.max(tokens, fragments);
    if (!this.isDone) trace.completionTokens = tokensBefore + tokens;
    if (tokens > 0) this.parts.onTokens?.(this.model, tokens);
    if (fragments === 0) return;
    if (this.#lastMs !== undefined) this.parts.onTokenGap?.(this.model, nowMs - this.#lastMs, ofChoice);
    this.#lastMs = nowMs;
  }
}

/** The plan's limit on `max_tokens` applies silently, as the end of the context does. */
function capped(prepared: PreparedGeneration, { plan }: KeyRecord): PreparedGeneration {
  if (plan.maxTokens === null || plan.maxTokens >= prepared.maxTokens) return prepared;
  return { ...prepared, maxTokens: plan.maxTokens };
}

/** One, but for several raw prompts. */
function generationsOf(request: ChatRequest, model: ModelId, accountId: string): Generation[] {
  // By name: a copy of what is left of a request without some fields takes ten times as long.
  const first = {
    model,
    accountId,
    messages: request.messages,
    rawPrompt: request.rawPrompt,
    task: request.task,
    sampling: request.sampling,
    stop: request.stop,
    namesStop: request.namesStop,
    maxTokens: request.maxTokens,
    choices: request.choices,
    topLogprobs: request.topLogprobs,
    format: request.format,
    tooling: request.tooling,
    reasoningEffort: request.reasoningEffort,
    isEffortImplied: request.isEffortImplied,
  } satisfies Required<Generation>;
  const { morePrompts = [] } = request;
  return [first, ...morePrompts.map((rawPrompt) => ({ ...first, rawPrompt }))];
}

function generate(
  engine: Engine,
  prepared: readonly PreparedGeneration[],
  signal: AbortSignal,
): AsyncIterable<readonly GenerationEvent[]> {
  const [first, ...others] = prepared;
  const isOne = first !== undefined && others.length === 0;
  return isOne ? engine.generate(first, signal) : generateInTurn(engine, prepared, signal);
}
