/**
 * A pool of engines is an engine. A generation goes where its conversation is warm or where least is under way
 * (routing.ts), avoiding members that are unreachable or failing (breaker.ts), unless there is no other. A sleeping
 * member is woken only when the loaded ones are full.
 *
 * When a member fails before the first event, the generation is tried once on another; after it, never: the
 * client has text that another member would not continue. When no other is up, a member that is being restarted is
 * waited for. Only a failure of the member is retried elsewhere, never an error of the request. A generation that was
 * prepared by one member can run on another, which prepares it again.
 *
 * `setMembers` changes the pool while it works: a member that leaves gets nothing new, ends what it has, and is
 * closed then, or when `drainMs` are over.
 */
import { type Clock, systemClock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import type { ModelId } from "../../core/models.js";
import {
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  isAvailable,
  type KeptByEngine,
  nothingKeptByEngine,
  sumOfKeptByEngines,
  type PreparedGeneration,
} from "../../core/serving/engine-port.js";
import { taskOf, tasksOf } from "../../core/serving/required-task.js";
import { RecentEntries } from "../recent-entries.js";
import { conversationKeys } from "./affinity.js";
import { type BreakerLimits, type BreakerState, defaultBreakerLimits } from "./breaker.js";
import { Member, type PoolMember } from "./member.js";
import { choose } from "./routing.js";

export interface PoolOptions {
  clock?: Clock;
  breaker?: BreakerLimits;
  /** How long a member that left may take to end what it has. */
  drainMs?: number;
  /** Whether it remembers which member has a conversation warm. */
  keepsAffinity?: boolean;
}

/** For the operator. */
export interface MemberView {
  id: string;
  status: EngineStatus;
  weight: number;
  runs: number;
  breaker: BreakerState;
  draining: boolean;
}

/** For a member that takes a generation. */
interface Search {
  generation: Generation;
  key: string;
  work: number;
  tried: Set<Member>;
  /** Of the last that was tried. */
  failure: Error | undefined;
}

const defaultDrainMs = 10 * 60_000;
const maxWarm = 20_000;

export class PoolEngine implements Engine {
  #members: Member[];
  readonly #draining = new Set<Member>();
  readonly #keyOf = conversationKeys();
  /** Which member has a conversation warm. */
  readonly #warm: RecentEntries<Member>;
  readonly #clock: Clock;
  readonly #limits: BreakerLimits;
  readonly #drainMs: number;
  #choices = 0;
  #closed = false;

  constructor(members: readonly PoolMember[], options: PoolOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.breaker ?? defaultBreakerLimits;
    this.#drainMs = options.drainMs ?? defaultDrainMs;
    this.#warm = new RecentEntries(this.#clock, (options.keepsAffinity ?? true) ? maxWarm : 0);
    this.#members = this.#membersOf(members);
  }

  get engines(): Engine[] {
    return this.#members.map(({ engine }) => engine);
  }

  /** Resolves when one of them can answer: the others are watched and join when they can. */
  async ready(signal: AbortSignal): Promise<void> {
    try {
      await Promise.any(this.#members.map((member) => member.ready(signal)));
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    signal.throwIfAborted();
    const key = this.#keyOf(generation);
    const search: Search = { generation, key, work: 0, tried: new Set(), failure: undefined };
    let member = this.#choose(search);
    // One try, one retry, and one for a conversation that only the largest context holds.
    for (let tries = 0; tries < 3 && member !== undefined; tries++) {
      search.tried.add(member);
      try {
        const prepared = await member.engine.prepare(generation, signal);
        return { ...prepared, prompt: new PoolPrompt(key, member, prepared) };
      } catch (error) {
        signal.throwIfAborted();
        search.failure = asError(error);
        if (isBroken(error)) member.breaker.fail();
        if (!isContext(error) && (!isRetryable(error) || tries > 0)) break;
      }
      member = this.#chooseNext(search, member);
    }
    throw search.failure ?? new ServiceError("engine_unavailable");
  }

  async *generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    signal.throwIfAborted();
    const prompt = poolPrompt(prepared);
    const { generation } = prepared;
    const work = prepared.promptTokens + prepared.maxTokens * generation.choices;
    const search: Search = { generation, key: prompt.key, work, tried: new Set(), failure: undefined };
    let member = this.#choose(search, prompt.member);
    for (let tries = 0; tries < 2 && member !== undefined; tries++) {
      search.tried.add(member);
      if (generation.task === undefined) this.#warm.set(prompt.key, generation.accountId, member);
      const end = member.begin(work);
      signal.addEventListener("abort", end, { once: true });
      member.breaker.begin();
      let begun = false;
      let judged = false;
      try {
        const own =
          member === prompt.member ? prompt.prepared : await member.engine.prepare(generation, signal);
        // The account's plan may have lowered the limit since.
        const run = { ...own, maxTokens: Math.min(own.maxTokens, prepared.maxTokens) };
        for await (const events of member.engine.generate(run, signal)) {
          begun = true;
          if (events.at(-1)?.type === "done") {
            judged = true;
            member.breaker.succeed();
          }
          yield events;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (isBroken(error)) {
          judged = true;
          member.breaker.fail();
        }
        if (begun || !(isRetryable(error) || isUnable(error, generation))) throw error;
        search.failure = asError(error);
      } finally {
        if (!judged) member.breaker.forget();
        signal.removeEventListener("abort", end);
        end();
      }
      member = this.#chooseNext(search, member);
    }
    throw search.failure ?? new ServiceError("engine_unavailable");
  }

  status(model: ModelId): EngineStatus {
    const [only, ...others] = this.#members;
    // Asked several times for each request, and most pools have one member.
    if (only !== undefined && others.length === 0 && this.#draining.size === 0) {
      const status = only.engine.status(model);
      return isAvailable(status) ? { ...status, problem: undefined } : status;
    }
    const all = this.#members.map((member) => member.engine.status(model));
    const up = all.filter(isAvailable);
    const counted = up.length > 0 ? up : all;
    const sum = (of: (status: EngineStatus) => number, from = counted) =>
      from.reduce((total, status) => total + of(status), 0);
    const leaving = [...this.#draining].map((member) => member.engine.status(model));
    const isStarting = all.some(({ state }) => state === "starting");
    return {
      state: bestOf(up) ?? (isStarting ? "starting" : "down"),
      serving:
        (all.length === 1 ? "" : `${up.length} of ${all.length}: `) +
        all.map(({ serving }) => serving).join(", "),
      contextTokens: Math.max(0, ...counted.map(({ contextTokens }) => contextTokens)),
      // A request may come to any of them.
      defaultMaxTokens: all.length === 0 ? 0 : Math.min(...counted.map((one) => one.defaultMaxTokens)),
      follows: {
        jsonSchema: counted.every(({ follows }) => follows.jsonSchema),
        logprobs: counted.every(({ follows }) => follows.logprobs),
        tools: counted.every(({ follows }) => follows.tools),
        reasoning: counted.some(({ follows }) => follows.reasoning),
        // A task goes to a member that does it.
        tasks: [...new Set(counted.flatMap((status) => tasksOf(model, status)))],
        chat: counted.every(({ follows }) => follows.chat !== false),
        infill: counted.length > 0 && counted.every(({ follows }) => follows.infill === true),
        // A request with images goes to those that see.
        vision: counted.some(({ follows }) => follows.vision === true),
      },
      capacity: sum(({ capacity }) => capacity),
      active: sum(({ active }) => active, [...all, ...leaving]),
      restarts: sum(({ restarts }) => restarts, all),
      problem: all.find((one) => one.problem !== undefined && !isAvailable(one))?.problem,
    };
  }

  members(model: ModelId): MemberView[] {
    return [...this.#members, ...this.#draining].map((member) => ({
      id: member.id,
      status: member.engine.status(model),
      weight: member.weight,
      runs: member.runs,
      breaker: member.breaker.state,
      draining: this.#draining.has(member),
    }));
  }

  /**
   * Replaces the members. One whose settings are the same keeps its connections and what is known of it; engines that
   * are no longer listed are drained and closed.
   */
  setMembers(members: readonly PoolMember[]): void {
    const before = this.#members;
    this.#members = this.#membersOf(members, before);
    for (const member of before) if (!this.#members.includes(member)) void this.#drain(member);
  }

  #membersOf(listed: readonly PoolMember[], known: readonly Member[] = []): Member[] {
    const isFirst = ({ settings }: PoolMember, at: number) =>
      listed.findIndex((one) => one.settings === settings) === at;
    return listed.filter(isFirst).map((given) => {
      const kept = known.find(({ settings }) => settings === given.settings);
      if (kept === undefined) return new Member(given, this.#clock, this.#limits);
      kept.weight = given.weight ?? 1;
      return kept;
    });
  }

  forgetAccount(accountId: string): void {
    this.#warm.forgetAccount(accountId);
    for (const { engine } of [...this.#members, ...this.#draining]) engine.forgetAccount(accountId);
  }

  async keptOf(accountId: string): Promise<KeptByEngine> {
    const members = [...this.#members, ...this.#draining];
    const kept = await Promise.all(members.map(({ engine }) => engine.keptOf(accountId)));
    return sumOfKeptByEngines([{ ...nothingKeptByEngine, routes: this.#warm.keptOf(accountId) }, ...kept]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#warm.clear();
    await Promise.all([...this.#members, ...this.#draining].map(({ engine }) => engine.close()));
  }

  async #drain(member: Member): Promise<void> {
    this.#draining.add(member);
    this.#warm.forgetValue(member);
    await member.idle(this.#drainMs);
    this.#draining.delete(member);
    if (!this.#closed) await member.engine.close().catch(() => undefined);
  }

  /** After `failed` failed. Its restart is worth waiting for when no other member is up. */
  #chooseNext(search: Search, failed: Member): Member | undefined {
    const other = this.#choose(search);
    const isUp = other?.refresh(search.generation.model).isUp === true;
    const waits = failed.restartsItself && isBroken(search.failure) && this.#members.includes(failed);
    return waits && !isUp ? failed : other;
  }

  #choose({ generation, key, work, tried, failure }: Search, preparedOn?: Member): Member | undefined {
    if (this.#closed) return undefined;
    const { model } = generation;
    const task = taskOf(generation);
    const left = this.#members
      .filter((member) => !tried.has(member))
      .map((member) => ({ member, ...member.refresh(model) }))
      .filter(({ tasks }) => tasks.includes(task));
    const largest = Math.max(0, ...[...tried].map((member) => member.engine.status(model).contextTokens));
    const long = isContext(failure) ? left.filter(({ contextTokens }) => contextTokens > largest) : left;
    const fitting = hasImages(generation) ? seeing(long) : long;
    const up = fitting.filter(({ isUp }) => isUp);
    const sound = up.filter(({ member }) => member.breaker.allows);
    // A member that fails is better than none, and its own error is the most accurate.
    const loaded = sound.filter(({ isLoaded, member }) => isLoaded && member.runs < member.capacity);
    const awake = sound.some(({ isLoaded }) => !isLoaded) ? loaded : sound;
    const candidates = [awake, sound, up, fitting].find((list) => list.length > 0) ?? [];
    const members = candidates.map(({ member }) => member);
    const warm = [this.#warm.get(key), preparedOn].find((at) => at !== undefined && members.includes(at));
    const chosen = choose(members, warm, work);
    if (chosen !== undefined) chosen.lastChosen = this.#choices += 1;
    return chosen;
  }
}

/** Of those that are available: the one that answers soonest. */
function bestOf(available: readonly EngineStatus[]): EngineStatus["state"] | undefined {
  const states = available.map(({ state }) => state);
  return (["ready", "waking", "asleep"] as const).find((state) => states.includes(state));
}

class PoolPrompt {
  constructor(
    readonly key: string,
    readonly member: Member,
    readonly prepared: PreparedGeneration,
  ) {}
}

function poolPrompt({ prompt }: PreparedGeneration): PoolPrompt {
  if (prompt instanceof PoolPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}

const hasImages = ({ messages }: Generation): boolean => messages.some(({ parts }) => parts !== undefined);

/** All of them, where none sees: they read the sentence in the place of an image. */
function seeing<T extends { canSee: boolean }>(candidates: readonly T[]): readonly T[] {
  const able = candidates.filter(({ canSee }) => canSee);
  return able.length > 0 ? able : candidates;
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new ServiceError("engine_unavailable");

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ServiceError && codes.includes(error.code);

/** The member is broken or unreachable. */
const isBroken = (error: unknown): boolean => hasCode(error, "engine_unavailable");
/** Another member may do better: this one is broken, or has too much to do. */
const isRetryable = (error: unknown): boolean => hasCode(error, "engine_unavailable", "overloaded");
/** It turned out not to do the task; another member may. */
const isUnable = (error: unknown, { task }: Generation): boolean =>
  task !== undefined && hasCode(error, "unsupported_value");
const isContext = (error: unknown): boolean => hasCode(error, "context_length_exceeded");
