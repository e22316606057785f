/** One engine of a pool, with what runs on it. */
import type { Clock } from "../../core/clock.js";
import type { ModelId } from "../../core/models.js";
import { type Engine, isAvailable } from "../../core/serving/engine-port.js";
import { tasksOf } from "../../core/serving/required-task.js";
import { Breaker, type BreakerLimits } from "./breaker.js";
import type { Candidate } from "./routing.js";

/** As an operator lists it. */
export interface PoolMember {
  id: string;
  /** The same for the same engine before and after a change of the pool, of which its weight is none. */
  settings: string;
  weight?: number | undefined;
  make: () => MadeMember;
}

export interface MadeMember {
  engine: Engine;
  /** Requests of others that wait at the engine, where it reports them. */
  waiting?: (() => number) | undefined;
  /** Restarted when it dies; requests wait for that. */
  restartsItself?: boolean | undefined;
  /** Resolves when it can answer; rejects, with a message for the operator, when it cannot. */
  ready: (signal: AbortSignal) => Promise<void>;
}

export class Member implements Candidate {
  readonly id: string;
  readonly settings: string;
  readonly engine: Engine;
  readonly ready: MadeMember["ready"];
  readonly breaker: Breaker;
  readonly restartsItself: boolean;
  weight: number;
  runs = 0;
  work = 0;
  lastChosen = 0;
  capacity = 1;
  waiting = 0;
  readonly #readWaiting: () => number;
  #whenIdle: (() => void) | null = null;

  constructor(member: PoolMember, clock: Clock, limits: BreakerLimits) {
    const { engine, ready, waiting, restartsItself = false } = member.make();
    this.id = member.id;
    this.settings = member.settings;
    this.engine = engine;
    this.ready = ready;
    this.weight = member.weight ?? 1;
    this.breaker = new Breaker(clock, limits);
    this.restartsItself = restartsItself;
    this.#readWaiting = waiting ?? (() => 0);
  }

  refresh(model: ModelId) {
    const status = this.engine.status(model);
    const { state, capacity, contextTokens, follows } = status;
    this.capacity = capacity;
    this.waiting = this.#readWaiting();
    return {
      isUp: isAvailable({ state }),
      isLoaded: state === "ready",
      contextTokens,
      tasks: tasksOf(model, status),
      canSee: follows.vision === true,
    };
  }

  /** Counts a run; the returned function ends it, and may be called more than once. */
  begin(work: number): () => void {
    this.runs += 1;
    this.work += work;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.runs -= 1;
      this.work -= work;
      if (this.runs === 0) this.#whenIdle?.();
    };
  }

  /** Resolves when nothing runs on it, or after the time limit. */
  async idle(limitMs: number): Promise<void> {
    if (this.runs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      timer.unref();
      this.#whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
