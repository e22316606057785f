/** Prompts on their way to the batcher: being prepared, or prepared and about to be started. */

/** The other process has started it by then, or will not. */
const returnMs = 20;

export class Arrivals {
  #preparing = 0;
  #preparedAtMs: number[] = [];

  constructor(private readonly nowMs = () => performance.now()) {}

  get count(): number {
    const since = this.nowMs() - returnMs;
    this.#preparedAtMs = this.#preparedAtMs.filter((atMs) => atMs > since);
    return this.#preparing + this.#preparedAtMs.length;
  }

  async prepare<T>(work: () => Promise<T>): Promise<T> {
    this.#preparing += 1;
    try {
      return await work();
    } finally {
      this.#preparing -= 1;
      this.#preparedAtMs.push(this.nowMs());
    }
  }

  started(): void {
    this.#preparedAtMs.shift();
  }
}
