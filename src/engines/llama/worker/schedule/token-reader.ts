/** Makes text of what was sampled: at once, or later, when there is time for it. */
import type { Progress } from "../../messages.js";
import type { SampledToken } from "../reply/token-sampler.js";
import type { Slots, Sequence } from "./slots.js";

export class TokenReader {
  /** At most one for each sequence. */
  readonly #postponed: { sequence: Sequence; sampled: SampledToken }[] = [];

  constructor(
    private readonly slots: Pick<Slots, "has">,
    private readonly onProgress: (progress: Progress) => void,
  ) {}

  /** Whether the choice has ended with it. */
  read({ group, choice }: Sequence, sampled: SampledToken): boolean {
    const reply = group.job.choices[choice]?.reply;
    if (reply === undefined) return false;
    const { finishReason, ...part } = reply.accept(sampled);
    const progress = { id: group.job.id, choice, ...part };
    this.onProgress(finishReason === null ? progress : { ...progress, finishReason });
    return finishReason !== null;
  }

  postpone(sequence: Sequence, sampled: SampledToken): void {
    this.#postponed.push({ sequence, sampled });
  }

  /** No sequence can be freed while a batch is computed: one that ends here is marked, and freed when that is over. */
  readPostponed(): void {
    for (const { sequence, sampled } of this.#postponed.splice(0)) {
      if (this.slots.has(sequence)) sequence.hasEnded = this.read(sequence, sampled);
    }
  }
}
