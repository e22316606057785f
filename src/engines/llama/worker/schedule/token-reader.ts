/** Makes text of what was drawn: at once, or later, when there is time for it. */
import type { Progress } from "../../messages.js";
import type { Drawn } from "../reply/draw.js";
import type { Seats, Sequence } from "./seats.js";

export class TokenReader {
  /** At most one for each sequence. */
  readonly #postponed: { sequence: Sequence; drawn: Drawn }[] = [];

  constructor(
    private readonly seats: Pick<Seats, "has">,
    private readonly onProgress: (progress: Progress) => void,
  ) {}

  /** Whether the choice has ended with it. */
  read({ group, choice }: Sequence, drawn: Drawn): boolean {
    const reply = group.job.choices[choice]?.reply;
    if (reply === undefined) return false;
    const { finishReason, ...part } = reply.accept(drawn);
    const progress = { id: group.job.id, choice, ...part };
    this.onProgress(finishReason === null ? progress : { ...progress, finishReason });
    return finishReason !== null;
  }

  postpone(sequence: Sequence, drawn: Drawn): void {
    this.#postponed.push({ sequence, drawn });
  }

  /** No sequence can be freed while a batch is computed: one that ends here is marked, and freed when that is over. */
  readPostponed(): void {
    for (const { sequence, drawn } of this.#postponed.splice(0)) {
      if (this.seats.has(sequence)) sequence.hasEnded = this.read(sequence, drawn);
    }
  }
}
