/**
 * Passes on the items of `source`, with an `idle` between them whenever none has come for `idleMs`. The item
 * that is waited for is asked for once, however many ticks pass.
 */
export const idle = Symbol("idle");

export async function* withIdleTicks<T>(
  source: AsyncIterable<T>,
  idleMs: number,
): AsyncGenerator<T | typeof idle, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      let result = await orIdle(next, idleMs);
      while (result === idle) {
        yield idle;
        result = await orIdle(next, idleMs);
      }
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function orIdle<T>(next: Promise<T>, idleMs: number): Promise<T | typeof idle> {
  let timer: NodeJS.Timeout | undefined;
  const tick = new Promise<typeof idle>((resolve) => {
    timer = setTimeout(resolve, idleMs, idle);
  });
  try {
    return await Promise.race([next, tick]);
  } finally {
    clearTimeout(timer);
  }
}
