/**
 * An engine that says one word every `tokenMs` for as long as it may, to any number of clients at once: for
 * tests and measurements of everything around an engine.
 */
import {
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  type KeptByEngine,
  nothingKeptByEngine,
  type PreparedGeneration,
} from "../../../src/core/serving/engine-port.js";

export interface PacedEngineOptions {
  tokenMs: number;
  capacity: number;
  /** Length of what it says at a time; a short word by default. */
  textChars?: number;
}

const mostTogether = 16;

export class PacedEngine implements Engine {
  #active = 0;

  constructor(private readonly options: PacedEngineOptions) {}

  async prepare(generation: Generation): Promise<PreparedGeneration> {
    return { generation, promptTokens: 4, maxTokens: generation.maxTokens ?? 16, prompt: null };
  }

  /** Without a pace many words are there at once, and come together as those of any engine do. */
  async *generate(
    { promptTokens, maxTokens }: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    this.#active += 1;
    const pace = new Pace(this.options.tokenMs, signal);
    const text = "word ".repeat(Math.ceil((this.options.textChars ?? 5) / 5));
    const together = this.options.tokenMs === 0 ? mostTogether : 1;
    try {
      for (let token = 0; token < maxTokens; token += together) {
        await pace.next();
        signal.throwIfAborted();
        const count = Math.min(together, maxTokens - token);
        yield Array.from({ length: count }, () => ({ type: "text", choice: 0, text }) as const);
      }
      yield [
        { type: "finished", choice: 0, finishReason: "length" },
        {
          type: "done",
          usage: { promptTokens, completionTokens: maxTokens, cachedTokens: 0, reasoningTokens: 0 },
        },
      ];
    } finally {
      pace.end();
      this.#active -= 1;
    }
  }

  status(): EngineStatus {
    const { capacity } = this.options;
    const active = this.#active;
    const follows = { jsonSchema: false, logprobs: false, tools: true, reasoning: true };
    const shown = { contextTokens: 1_000_000, defaultMaxTokens: 1_000_000, follows, capacity };
    return { state: "ready", serving: "paced", ...shown, active, restarts: 0 };
  }

  forgetAccount(): void {}

  async keptOf(): Promise<KeptByEngine> {
    return nothingKeptByEngine;
  }

  async close(): Promise<void> {}
}

/** One timer for a whole generation, and no listener for each token. */
class Pace {
  #due: () => void = () => undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = () => {
    this.#due();
  };

  constructor(
    private readonly tokenMs: number,
    private readonly signal: AbortSignal,
  ) {
    if (tokenMs > 0) this.#timer = setInterval(() => this.#due(), tokenMs);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async next(): Promise<void> {
    if (this.tokenMs === 0 || this.signal.aborted) return;
    await new Promise<void>((resolve) => (this.#due = resolve));
  }

  end(): void {
    clearInterval(this.#timer);
    this.signal.removeEventListener("abort", this.#onAbort);
  }
}
