/**
 * The wait that every queue here has in common: it ends when the turn is granted, when the caller's signal
 * aborts, or when the time limit passes, whichever comes first. The queue decides who is next.
 */
export interface TurnOptions {
  signal?: AbortSignal | undefined;
  limitMs: number;
  /** The error for a wait that took too long. Called while the waiter is still in the queue. */
  tooLate: () => Error;
}

/** `join` adds a waiter to the queue, to be granted its turn immediately or later, and returns how to remove it. */
export function waitForTurn<T>(
  join: (grant: (turn: T) => void) => () => void,
  { signal, limitMs, tooLate }: TurnOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const giveUp = (reason: Error) => {
      stopWaiting();
      leave();
      reject(reason);
    };
    const onAbort = () => {
      giveUp(abortReason(signal));
    };
    const timer = setTimeout(() => {
      giveUp(tooLate());
    }, limitMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    const leave = join((turn) => {
      stopWaiting();
      resolve(turn);
    });
  });
}

const abortReason = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error("The wait was aborted.");
