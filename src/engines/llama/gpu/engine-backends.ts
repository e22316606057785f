/**
 * The backend of one engine, and those it fell back from. A failure is blamed on a backend only when the same
 * weights have loaded on the next one: a damaged file fails everywhere.
 */
import type { Backend, GpuBackend } from "./backends.js";
import { kindOf, wordsOf } from "./failures.js";
import type { BackendFailure, LoadSubject } from "./memory.js";

export interface EngineFailure {
  /** Loading, or computing replies later. */
  during: "load" | "run";
  reason: string;
}

/** What the choice for the whole machine offers one engine. */
interface MachineChoice {
  after(backend: GpuBackend, subject: LoadSubject): Promise<Backend>;
  giveUp(failure: Omit<BackendFailure, "at">, next: Backend): void;
  failures(subject: LoadSubject): BackendFailure[];
}

export class EngineBackends {
  #current: Backend;
  #suspected: Omit<BackendFailure, "at">[] = [];

  constructor(
    private readonly choice: MachineChoice,
    private readonly subject: LoadSubject,
    first: Backend,
  ) {
    this.#current = first;
  }

  get current(): Backend {
    return this.#current;
  }

  /** What to load on instead; null when nothing is left. */
  fallBack(failure: EngineFailure): Promise<Backend> | null {
    return this.#current === "cpu" ? null : this.#fallBackFrom(this.#current, failure);
  }

  /** The weights have loaded on the current one. */
  loaded(): void {
    for (const failure of this.#suspected.splice(0)) this.choice.giveUp(failure, this.#current);
  }

  failures(): BackendFailure[] {
    return this.choice.failures(this.subject);
  }

  async #fallBackFrom(backend: GpuBackend, { during, reason }: EngineFailure): Promise<Backend> {
    const words = wordsOf(reason);
    const known = kindOf(words);
    const kind = known === "failed" && during === "run" ? "crashed" : known;
    this.#suspected.push({ backend, during, kind, words, subject: this.subject });
    this.#current = await this.choice.after(backend, this.subject);
    return this.#current;
  }
}
