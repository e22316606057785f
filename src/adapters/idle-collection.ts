/**
 * Shortens the time for which text that is no longer used can be found in the memory of this process. JavaScript cannot
 * overwrite a string, and V8 leaves freed strings where they were until their place is needed. So garbage is collected
 * when the process has been idle for ten seconds after some work, since then it delays nobody, and V8 is told to
 * overwrite with zeros what is free. A process that is never idle has V8's own collections only, which do not.
 *
 * Compiled code is kept, though V8 would drop it here: it takes functions that did not run between a few collections for
 * unused, and shapes of objects that optimized code relies on for gone when no such object is left. Without that, the first
 * few hundred requests afterwards took three times the processor time.
 *
 * Each thread has a heap of its own and collects it itself. Where a version of V8 does not know a flag, nothing
 * happens.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

interface IdleCollectionOptions {
  isIdle: () => boolean;
  quietMs: number;
  /** Shortest time between two collections. */
  everyMs: number;
  collect: () => void;
}

/** Of V8. Some eight idle moments, without requests in between that would renew them. */
const collectionsToKeepShapes = 100;

/** What a collection finds to be unreachable may be freed, and so be overwritten, in a later one only. */
const rounds = 3;

export class IdleCollection {
  readonly #options: IdleCollectionOptions;
  #timer: NodeJS.Timeout | undefined;
  #workedMs = -Infinity;
  #collectedMs = -Infinity;
  #left = 0;

  constructor(options: Partial<IdleCollectionOptions> = {}) {
    // Counted from when the code that relies on them is optimized, so it is set before.
    setFlagsFromString(`--retain-maps-for-n-gc=${collectionsToKeepShapes}`);
    const usual = { isIdle: () => true, quietMs: 10_000, everyMs: 5_000, collect: collectGarbage };
    this.#options = { ...usual, ...options };
  }

  /** Something was done that left garbage. Cheap: it is called for each request. */
  noteWork(): void {
    this.#workedMs = performance.now();
    this.#left = rounds;
    this.#timer ??= this.#wait(this.#options.quietMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const { isIdle, quietMs, everyMs, collect } = this.#options;
    const nowMs = performance.now();
    const waitMs = Math.max(this.#workedMs + quietMs, this.#collectedMs + everyMs) - nowMs;
    if (waitMs > 0 || !isIdle()) {
      this.#timer = this.#wait(Math.max(waitMs, quietMs));
      return;
    }
    this.#collectedMs = nowMs;
    collect();
    this.#left -= 1;
    this.#timer = this.#left > 0 ? this.#wait(everyMs) : undefined;
  }
}

let gc: (() => void) | undefined;
let ending: NodeJS.Timeout | undefined;
/** Threads of V8 sweep for a while after a collection. */
const sweepMs = 1_000;

/**
 * Twice: what the first one only finds to be unreachable, such as buffers, the second one frees. Only these overwrite
 * what is free, also what was freed before them: doing so in all collections took a fifth more of the processor's time
 * for each request.
 */
export function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("typeof gc === 'function' ? gc : () => undefined") as () => void;
  }
  for (const flag of ["--clear-free-memory", "--no-flush-bytecode"]) setFlagsFromString(flag);
  clearTimeout(ending);
  ending = setTimeout(() => {
    for (const flag of ["--no-clear-free-memory", "--flush-bytecode"]) setFlagsFromString(flag);
  }, sweepMs).unref();
  gc();
  gc();
}
