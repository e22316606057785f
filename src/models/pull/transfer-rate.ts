/** How far back the rate looks. */
const memoryMs = 5_000;
const shortestMs = 200;
const mostSamples = 500;

/** Bytes a second of a download, over its last seconds. */
export class TransferRate {
  #samples: { atMs: number; doneBytes: number }[] = [];

  add(atMs: number, doneBytes: number): void {
    const recent = this.#samples.filter((sample) => atMs - sample.atMs < memoryMs);
    this.#samples = [...recent, { atMs, doneBytes }].slice(-mostSamples);
  }

  restart(): void {
    this.#samples = [];
  }

  /** Null while there is nothing to go by. */
  get bytesPerSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.atMs - first.atMs < shortestMs) return null;
    return ((last.doneBytes - first.doneBytes) / (last.atMs - first.atMs)) * 1000;
  }
}
