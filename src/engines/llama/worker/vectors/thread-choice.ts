/**
 * How many threads compute one input fastest, by measuring it.
 *
 * An input is over in milliseconds, and its threads meet after every operation: what they take then says nothing about
 * idle cores (thread-pace.ts), and where another process takes one of them, fewer threads are faster. So each count out
 * of a few is tried on the first inputs, the fastest is kept, and now and then its neighbours are tried again.
 */

/** Computed by contexts of their own (vector-model.ts), so they are measured apart. */
type Kind = "short" | "long";

interface Candidate {
  threads: number;
  /** Of one token: the latest, and for the fastest a mean of the latest. */
  ms: number | undefined;
  samples: number;
}

const firstSamples = 2;
/** Every so many inputs, one tries a neighbour of the fastest. */
const retryEvery = 32;
const weightOfLatest = 0.5;

export class ThreadChoice {
  readonly #candidates: Record<Kind, readonly Candidate[]>;
  #inputs = 0;

  constructor(private readonly most: number) {
    this.#candidates = { short: this.#newCandidates(), long: this.#newCandidates() };
  }

  /** What is the fastest, as far as it is known. */
  best(kind: Kind): number {
    return fastest(this.#candidates[kind])?.threads ?? this.most;
  }

  /** What the next input that is alone should use: mostly the fastest. */
  next(kind: Kind): number {
    const candidates = this.#candidates[kind];
    this.#inputs += 1;
    const untried = candidates.find(({ samples }) => samples < firstSamples);
    if (untried !== undefined) return untried.threads;
    const best = this.best(kind);
    if (this.#inputs % retryEvery !== 0) return best;
    const direction = this.#inputs % (2 * retryEvery) === 0 ? 1 : -1;
    const at = candidates.findIndex(({ threads }) => threads === best);
    return candidates[at + direction]?.threads ?? best;
  }

  record(kind: Kind, threads: number, tokens: number, ms: number): void {
    const candidate = this.#candidates[kind].find((one) => one.threads === threads);
    if (candidate === undefined || tokens === 0) return;
    const latest = ms / tokens;
    // What another one took when it was last tried may be long ago.
    const before = threads === this.best(kind) ? candidate.ms : undefined;
    candidate.ms = before === undefined ? latest : before + (latest - before) * weightOfLatest;
    candidate.samples += 1;
  }

  /** In descending order: all, half of them, and so on. */
  #newCandidates(): Candidate[] {
    const candidates: Candidate[] = [];
    for (let threads = this.most; threads >= 1; threads = Math.floor(threads / 2))
      candidates.push({ threads, ms: undefined, samples: 0 });
    return candidates;
  }
}

function fastest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (one.ms !== undefined && one.ms < (best?.ms ?? Infinity) ? one : best),
    undefined,
  );
}
