/**
 * Work that runs every `everyMs` and on demand, one run at a time. A caller that asks while a run is under way shares
 * it. The work must not reject: nothing would handle the rejection.
 */
export class PeriodicTask {
  #running: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly work: () => Promise<void>,
    everyMs: number,
  ) {
    this.#timer = setInterval(() => void this.run(), everyMs).unref();
  }

  run(): Promise<void> {
    this.#running ??= this.work().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves after a run that started after this call: one that is under way may have missed the latest state. */
  async runAgain(): Promise<void> {
    await this.#running;
    await this.run();
  }

  /** Stops the timer and waits for a run under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Stops after one last run. */
  async finish(): Promise<void> {
    await this.stop();
    await this.run();
  }
}
