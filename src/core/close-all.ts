/**
 * Runs every closer, one after the other, the last first. One that rejects does not keep the others from running:
 * what they hold, a lock or counts that are not written yet, must not be lost to another part's error.
 * Rejects at the end with all errors together.
 */
export async function closeAll(closers: readonly (() => void | Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const closer of [...closers].reverse()) {
    try {
      await closer();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new CloseError(errors);
}

export class CloseError extends AggregateError {
  constructor(errors: readonly unknown[]) {
    const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
    super(errors, `Not everything could be closed: ${reasons.join("; ")}`);
    this.name = "CloseError";
  }
}

/** What was opened, to be closed in reverse order. */
export class Closers {
  #closers: (() => void | Promise<void>)[] = [];

  /** Returns the part, so that one expression creates and adds it. */
  add<T extends { close(): void | Promise<void> }>(part: T): T {
    this.#closers.push(() => part.close());
    return part;
  }

  /** Once, however often it is called. */
  close(): Promise<void> {
    return closeAll(this.#closers.splice(0));
  }
}
