/**
 * A time budget for following grammars. It blocks decoding, and with it all replies, so it is bounded twice:
 *
 * - By the step. Once sampling from grammars has taken so long in one step, the choices that are left wait for the
 *   next one, where they come first. A native call cannot be interrupted, so the longest of them comes on top.
 * - By the choice. Each gets so much for every token, and may save up or overdraw some. One whose grammar keeps
 *   taking more is ended, alone.
 *
 * Time is what both the processor and the wall clock say has passed: on a busy machine the wall clock runs on while
 * nothing is computed, and threads of the native code that spin cost processor time without computing either.
 */
import { processCpuMs } from "./thread-pace.js";

/** An ordinary schema takes a tenth of this; several hundred optional properties take all of it. */
const msPerTokenOfVocabulary = 0.8e-3;
const leastMsPerSample = 25;
/**
 * How many samples' time a choice may save up or overdraw: on a busy machine many in a row take several times as
 * long.
 */
const savedSamples = 32;
const samplesPerStep = 2;

export class GrammarBudget {
  readonly #msPerSample: number;
  readonly #credits = new WeakMap<object, number>();
  readonly #lastTurns = new WeakMap<object, number>();
  #turns = 0;
  /** In this step. */
  spentMs = 0;

  constructor(
    /** Every token of it is checked against the grammar. */
    vocabularySize: number,
    /** The shortest of their times counts. Passed in for tests. */
    private readonly clocks: readonly (() => number)[] = [processCpuMs, () => performance.now()],
  ) {
    this.#msPerSample = Math.max(leastMsPerSample, vocabularySize * msPerTokenOfVocabulary);
  }

  beginStep(): void {
    this.spentMs = 0;
  }

  get isStepFull(): boolean {
    return this.spentMs >= this.#msPerSample * samplesPerStep;
  }

  /** Longest wait first. */
  inTurn<T extends { sequence: object }>(samples: readonly T[]): T[] {
    for (const { sequence } of samples) {
      // A new choice comes after all that wait.
      if (!this.#lastTurns.has(sequence)) this.#lastTurns.set(sequence, this.#turns);
    }
    const lastTurn = ({ sequence }: T) => this.#lastTurns.get(sequence) ?? 0;
    return samples.toSorted((a, b) => lastTurn(a) - lastTurn(b));
  }

  /** Runs one sampling call and charges its time to the choice. */
  async measure<T>(choice: object, sample: () => Promise<T>): Promise<T> {
    const startsMs = this.clocks.map((clock) => clock());
    try {
      return await sample();
    } finally {
      const tookMs = Math.min(...this.clocks.map((clock, index) => clock() - (startsMs[index] ?? 0)));
      this.spentMs += tookMs;
      this.#lastTurns.set(choice, (this.#turns += 1));
      const mostMs = this.#msPerSample * savedSamples;
      // A single very slow call may be the machine's doing: it ends no reply by itself, three of them do.
      const chargedMs = Math.min(tookMs, mostMs / 2);
      const creditMs = (this.#credits.get(choice) ?? mostMs) + this.#msPerSample - chargedMs;
      this.#credits.set(choice, Math.min(mostMs, creditMs));
    }
  }

  isOverdrawn(choice: object): boolean {
    return (this.#credits.get(choice) ?? 0) < 0;
  }
}
