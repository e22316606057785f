/**
 * Work done in rounds, one at a time: by itself every `everyMs`, and whenever somebody asks. A caller that asks while
 * a round is under way shares it. The work must not reject: nothing would handle the rejection.
 */
export class PeriodicTask {
  #underWay: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly work: () => Promise<void>,
    everyMs: number,
  ) {
    this.#timer = setInterval(() => void this.run(), everyMs).unref();
  }

  run(): Promise<void> {
    this.#underWay ??= this.work().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  /** A round that begins from now on: one that is under way may have begun before the latest came. */
  async runAnew(): Promise<void> {
    await this.#underWay;
    await this.run();
  }

  /** Stops the timer. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Stops after one more. */
  async finish(): Promise<void> {
    this.stop();
    await this.runAnew();
  }
}
