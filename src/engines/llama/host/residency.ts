/**
 * Which models are in memory, where they are loaded on demand: every load asks for room first.
 *
 * Every model has its size. What is loaded or being loaded may not exceed a share of the memory that there is. When
 * the next one does not fit, idle models are unloaded, the least recently used first, and only if that makes enough
 * room; else it waits until others have finished, for a limited time, and is refused with `overloaded` then. Models
 * get room in the order in which they ask. One that does not even fit alone is loaded alone: the engine then makes
 * do with what there is, as it does without this.
 *
 * A model that nobody has used for `idleMs` is unloaded as well.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../core/clock.js";
import { ServiceError } from "../../../core/errors.js";

export interface Resident {
  readonly size: ResidentSize;
  /** It has taken what it needs from the system. */
  isLoaded(): boolean;
  /** Since when nobody has used it, on the monotonic clock; null while it is in use. */
  idleSinceMs(): number | null;
  /** Ends its process; resolves when its memory is free and it has called `release`. */
  unload(): Promise<void>;
}

export interface ResidentSize {
  /** Mapped from the file: the system counts that as available, since it can be read again. */
  weightsBytes: number;
  /** Cache and room to work in. */
  workingBytes: number;
}

export interface ResidencyOptions {
  clock: Clock;
  idleMs: number;
  waitMs: number;
  /** Memory that the system could give to a program now. */
  availableBytes: () => number;
  pollMs?: number;
}

/** The rest is for the system and for this process. */
const shareOfMemory = 0.9;

/** Between the parts of a request there are moments in which it does not use its model. */
const settledMs = 1000;

const defaultPollMs = 250;

export class Residency {
  readonly #held = new Set<Resident>();
  /** One after the other. */
  #admitting: Promise<unknown> = Promise.resolve();
  readonly #pollMs: number;
  #polling: NodeJS.Timeout | undefined;

  constructor(private readonly options: ResidencyOptions) {
    this.#pollMs = options.pollMs ?? defaultPollMs;
  }

  /**
   * What the machine would have without models. Weights that are mapped are in what is available; what the loaded
   * models have allocated is not.
   */
  get memoryBytes(): number {
    const loaded = [...this.#held].filter((resident) => resident.isLoaded());
    const allocated = sum(loaded.map(({ size }) => size.workingBytes));
    return this.options.availableBytes() + allocated;
  }

  /**
   * Resolves to true when there is room for it, which it holds until `release`; to false when nobody wants it any more.
   * Rejects with `overloaded`.
   */
  admit(resident: Resident, isWanted: () => boolean): Promise<boolean> {
    const endsMs = this.options.clock.monotonicMs() + this.options.waitMs;
    const admitted = this.#admitting.then(() => this.#admit(resident, isWanted, endsMs));
    this.#admitting = admitted.catch(() => undefined);
    return admitted;
  }

  release(resident: Resident): void {
    this.#held.delete(resident);
    if (this.#held.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  async #admit(resident: Resident, isWanted: () => boolean, endsMs: number): Promise<boolean> {
    while (isWanted()) {
      if (this.#fits([...this.#held, resident])) {
        this.#hold(resident);
        return true;
      }
      const victim = this.#nextToUnload(resident);
      if (victim !== undefined) await victim.unload();
      else if (this.options.clock.monotonicMs() >= endsMs) throw noRoom();
      else await sleep(this.#pollMs);
    }
    return false;
  }

  #fits(residents: readonly Resident[]): boolean {
    return residents.length <= 1 || sum(residents.map(bytesOf)) <= this.memoryBytes * shareOfMemory;
  }

  /** Undefined where unloading all that are idle would not make enough room. */
  #nextToUnload(comer: Resident): Resident | undefined {
    const idle = this.#idleFor(settledMs);
    const busy = [...this.#held].filter((resident) => !idle.includes(resident));
    return this.#fits([...busy, comer]) ? idle[0] : undefined;
  }

  /** The least recently used first. */
  #idleFor(idleMs: number): Resident[] {
    const longAgoMs = this.options.clock.monotonicMs() - idleMs;
    return [...this.#held]
      .map((resident) => ({ resident, sinceMs: resident.idleSinceMs() ?? Infinity }))
      .filter(({ sinceMs }) => sinceMs <= longAgoMs)
      .sort((a, b) => a.sinceMs - b.sinceMs)
      .map(({ resident }) => resident);
  }

  #hold(resident: Resident): void {
    this.#held.add(resident);
    this.#polling ??= setInterval(() => {
      for (const idle of this.#idleFor(this.options.idleMs)) void idle.unload();
    }, this.#pollMs).unref();
  }
}

const bytesOf = ({ size }: Resident): number => size.weightsBytes + size.workingBytes;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const noRoom = (): ServiceError =>
  new ServiceError("overloaded", {
    message: "The memory is taken by other models that are answering. Try again in 5 s.",
    retryAfterSeconds: 5,
  });
