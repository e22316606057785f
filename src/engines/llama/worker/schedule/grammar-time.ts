/**
 * The time that following grammars takes of the engine. Every step waits for it, and with it everybody's replies,
 * so it is bounded twice:
 *
 * - By the step. Once drawing from grammars has taken so long in one step, the choices that are left wait for the
 *   next one, where they come first. A native call cannot be interrupted, so the longest of them comes on top.
 * - By the choice. Each gets so much for every token, and may save up or overdraw some. One whose grammar keeps
 *   taking more is ended, alone.
 *
 * Time is what both the processor and the wall clock say has passed: on a busy machine the wall clock runs on while
 * nothing is computed, and threads of the native code that spin cost processor time without computing either.
 */
export interface GrammarTimeOptions {
  /** Every token of it is checked against the grammar. */
  vocabularySize: number;
  /** The shortest of their times counts. Passed in for tests. */
  clocks?: readonly (() => number)[];
}

/** An ordinary schema takes a tenth of this; several hundred optional properties take all of it. */
const msPerTokenOfVocabulary = 0.8e-3;
const leastMsPerDraw = 25;
/** How many draws a choice may be ahead, or behind: on a busy machine many in a row can take several times as long. */
const savedDraws = 32;
const drawsPerStep = 2;

export class GrammarTime {
  readonly #msPerDraw: number;
  readonly #clocks: readonly (() => number)[];
  readonly #credits = new WeakMap<object, number>();
  readonly #lastTurns = new WeakMap<object, number>();
  #turns = 0;
  #stepMs = 0;

  constructor({ vocabularySize, clocks = [processMs, wallMs] }: GrammarTimeOptions) {
    this.#msPerDraw = Math.max(leastMsPerDraw, vocabularySize * msPerTokenOfVocabulary);
    this.#clocks = clocks;
  }

  beginStep(): void {
    this.#stepMs = 0;
  }

  /** In this step. */
  get spentMs(): number {
    return this.#stepMs;
  }

  get isStepFull(): boolean {
    return this.#stepMs >= this.#msPerDraw * drawsPerStep;
  }

  /** Those first that have waited longest. */
  inTurn<T>(draws: readonly T[], choiceOf: (draw: T) => object): T[] {
    const lastTurn = (draw: T) => this.#lastTurns.get(choiceOf(draw)) ?? 0;
    for (const choice of draws.map(choiceOf)) {
      // Who comes new is behind all that wait.
      if (!this.#lastTurns.has(choice)) this.#lastTurns.set(choice, this.#turns);
    }
    return draws.toSorted((a, b) => lastTurn(a) - lastTurn(b));
  }

  /** Runs one draw on the choice's account. */
  async measure<T>(choice: object, draw: () => Promise<T>): Promise<T> {
    const startsMs = this.#clocks.map((clock) => clock());
    try {
      return await draw();
    } finally {
      const tookMs = Math.min(...this.#clocks.map((clock, index) => clock() - (startsMs[index] ?? 0)));
      this.#stepMs += tookMs;
      this.#lastTurns.set(choice, (this.#turns += 1));
      const mostMs = this.#msPerDraw * savedDraws;
      // One that took very long may have been held up by the machine: alone it ends nobody, three like it do.
      const chargedMs = Math.min(tookMs, mostMs / 2);
      const creditMs = (this.#credits.get(choice) ?? mostMs) + this.#msPerDraw - chargedMs;
      this.#credits.set(choice, Math.min(mostMs, creditMs));
    }
  }

  isOverdrawn(choice: object): boolean {
    return (this.#credits.get(choice) ?? 0) < 0;
  }
}

const wallMs = (): number => performance.now();

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
