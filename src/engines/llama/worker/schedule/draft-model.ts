/**
 * A small model that guesses how a reply of the large one goes on: it reads the same tokens, and says its likeliest next
 * ones. What it guesses is checked like any other guess (speculation.ts), so it decides nothing but the speed.
 *
 * It has one sequence, for the reply that runs alone. It reads the prompt of that reply a part at a time, beside steps
 * of the large model, and keeps nothing when the reply has ended. How often its guesses are right is remembered from
 * one reply to the next: where it does not pay, it is left alone for a while.
 */
import { computeAlone, type PlainContext } from "../batch-context.js";
import type { Sequence } from "./slots.js";
import { firstLikelihood, weightOfLatest } from "./speculation.js";

export interface DraftModelOptions {
  context: PlainContext;
  /** The likeliest token by these logits. */
  sample: (logitIndex: number) => Promise<number>;
  contextTokens: number;
  /** Of the large model: what it does not know is no guess. */
  vocabularySize: number;
}

/** Read in one step: the large model waits for it. */
const readAtOnce = 128;
const sequenceId = 0;
/** Of other replies, perhaps, for which it may be better. */
const stepsLeftAlone = 300;

export class DraftModel {
  /** That the next token is right. */
  likelihood = firstLikelihood;
  /** For each guessed token. */
  msPerToken = 0;
  /** Whose tokens it has computed. */
  reply: Sequence | undefined;
  /** Tokens whose keys and values are in its cache; the last ones may be guesses. */
  #computed: number[] = [];
  /** So many of them were the reply's own when it was last asked. */
  #certain = 0;
  #leftAlone = 0;
  #isBroken = false;

  constructor(private readonly options: DraftModelOptions) {}

  forget(): void {
    if (this.reply === undefined) return;
    this.options.context.disposeSequence(sequenceId);
    this.reply = undefined;
    this.#computed = [];
    this.#certain = 0;
  }

  /** It was not asked, since its guesses do not pay. */
  leaveAlone(): void {
    this.#leftAlone += 1;
    if (this.#leftAlone < stepsLeftAlone) return;
    this.#leftAlone = 0;
    this.likelihood = firstLikelihood;
  }

  /** Up to `most` tokens that follow the newest; none while it is still reading. */
  async guess(reply: Sequence, most: number): Promise<readonly number[]> {
    const room = this.options.contextTokens - reply.computed.length - 1;
    if (this.#isBroken || room <= 0) return [];
    this.#leftAlone = 0;
    if (this.reply !== reply) this.forget();
    this.reply = reply;
    try {
      return await this.#guess(reply, Math.min(most, room));
    } catch {
      // The large model needs none of it.
      this.forget();
      this.#isBroken = true;
      return [];
    }
  }

  async #guess({ computed, newest }: Sequence, most: number): Promise<readonly number[]> {
    const { sample, vocabularySize } = this.options;
    this.#takeBack(computed);
    const unread = computed.slice(this.#computed.length, this.#computed.length + readAtOnce);
    const readsAll = this.#computed.length + unread.length === computed.length;
    if (readsAll) unread.push(newest);
    const startedMs = performance.now();
    let logits = await this.#compute(unread);
    if (!readsAll) return [];
    const guessed: number[] = [];
    for (;;) {
      const token = await sample(logits);
      if (token < 0 || token >= vocabularySize) break;
      guessed.push(token);
      if (guessed.length >= most) break;
      logits = await this.#compute([token]);
    }
    // The last guess of the time before, and what was sampled after it.
    if (unread.length <= 2) this.#measure((performance.now() - startedMs) / Math.max(1, guessed.length));
    return guessed;
  }

  /** The newest token, which may be read again, and guesses after it that were wrong. */
  #takeBack(computed: readonly number[]): void {
    const most = Math.min(this.#computed.length, computed.length);
    let same = Math.min(this.#certain, most);
    while (same < most && this.#computed[same] === computed[same]) same += 1;
    this.#certain = computed.length;
    if (same === this.#computed.length) return;
    if (!this.options.context.removeTokenCellsFromSequence(sequenceId, same, -1))
      throw new Error("Nothing can be taken back.");
    this.#computed.length = same;
  }

  /** Returns where the logits of the last token are. */
  async #compute(tokens: readonly number[]): Promise<number> {
    const { length } = this.#computed;
    const logits = await computeAlone(this.options.context, length, Uint32Array.from(tokens));
    this.#computed.push(...tokens);
    return logits;
  }

  #measure(ms: number): void {
    this.msPerToken = this.msPerToken === 0 ? ms : this.msPerToken + (ms - this.msPerToken) * weightOfLatest;
  }
}
