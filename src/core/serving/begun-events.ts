/**
 * A generation that is started before its reply is announced, so that one that fails at once can still be answered by
 * another model. An engine that is gone fails within moments; one that reads a long prompt is not waited for.
 */
import { setTimeout as sleep } from "node:timers/promises";

const momentMs = 1_000;

export interface BegunEvents<T> {
  events: AsyncIterable<T>;
  /** Ends the generation, also where nobody has read an event. */
  end: () => void;
}

/** Rejects with what `start` fails with before its first event. It must end when its signal aborts. */
export async function begun<T>(
  start: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
): Promise<BegunEvents<T>> {
  const ending = new AbortController();
  const iterator = start(AbortSignal.any([signal, ending.signal]))[Symbol.asyncIterator]();
  const first = iterator.next();
  // Whoever reads the events gets its error, and that may be nobody.
  first.catch(() => undefined);
  await Promise.race([first, sleep(momentMs, undefined, { ref: false })]);
  const end = () => {
    ending.abort();
    iterator.return?.().catch(() => undefined);
  };
  return { events: continued(first, iterator), end };
}

async function* continued<T>(
  first: Promise<IteratorResult<T>>,
  iterator: AsyncIterator<T>,
): AsyncGenerator<T, void, undefined> {
  for (let next = await first; next.done !== true; next = await iterator.next()) yield next.value;
}
