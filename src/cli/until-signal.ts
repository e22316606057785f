const signals = ["SIGINT", "SIGTERM"] as const;

/** The first Ctrl-C or SIGTERM ends the work in order, with this error; a second one ends the program. */
export async function untilSignal<Result>(
  stopped: Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const onSignal = () => stop.abort(stopped);
  for (const signal of signals) process.once(signal, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}
