/**
 * A thread must not end while it is inside libsql: the native code would find its JavaScript environment destroyed,
 * and abort the whole process. So a thread is never terminated, and passes a gate before every call; when the process
 * exits, for whatever reason, the gate is shut first. A running call is waited for, so that a commit is completed.
 */

/** One number in shared memory. */
export type Gate = Int32Array<SharedArrayBuffer>;

const isOpen = 0;
const isInside = 1;
const isShut = 2;

/** Past it the process may abort, which harms no data. */
const exitWaitMs = 10_000;

export const newGate = (): Gate => new Int32Array(new SharedArrayBuffer(4));

/** In the thread, before a native call. Never returns when the process is about to exit. */
export function enter(gate: Gate): void {
  if (Atomics.compareExchange(gate, 0, isOpen, isInside) === isShut) Atomics.wait(gate, 0, isShut);
}

/** In the thread, afterwards. */
export function leave(gate: Gate): void {
  Atomics.store(gate, 0, isOpen);
  Atomics.notify(gate, 0);
}

const watched = new Set<Gate>();
let isWatching = false;

/** Shuts the gate when this process exits. Returns how to stop that, for a thread that has ended. */
export function shutAtExit(gate: Gate): () => void {
  watched.add(gate);
  // One listener, however many databases are open.
  if (!isWatching) process.once("exit", shutAll);
  isWatching = true;
  return () => void watched.delete(gate);
}

function shutAll(): void {
  const givesUpAtMs = performance.now() + exitWaitMs;
  for (const gate of watched) {
    while (Atomics.compareExchange(gate, 0, isOpen, isShut) === isInside) {
      const leftMs = givesUpAtMs - performance.now();
      if (leftMs <= 0) return;
      Atomics.wait(gate, 0, isInside, leftMs);
    }
  }
}
