import { setImmediate as nextTurn } from "node:timers/promises";

/** Thrown by `withTimeLimit` by default. */
class TookTooLong extends Error {
  constructor(limitMs: number) {
    super(`It took longer than ${limitMs} ms.`);
    this.name = "TookTooLong";
  }
}

/**
 * Rejects when `work` takes longer; the work itself goes on, and its outcome is ignored. Results
 * that have already arrived are read before it rejects: if this process was busy, the result may be waiting.
 */
export async function withTimeLimit<T>(
  work: Promise<T>,
  limitMs: number,
  tooLate: () => Error = () => new TookTooLong(limitMs),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = async () => {
      // Two turns: one in which sockets are read, one for what waits on them.
      await nextTurn();
      await nextTurn();
      reject(tooLate());
    };
    timer = setTimeout(() => void giveUp(), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
