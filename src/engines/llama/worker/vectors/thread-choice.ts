/**
 * How many threads compute one input fastest, by measuring it.
 *
 * An input is over in milliseconds, and its threads meet after every operation: what they take then says nothing about
 * idle cores (thread-pace.ts), and where another process takes one of them, fewer threads are faster. So all threads are
 * tried on the first inputs, then half of them and so on, as long as that is not clearly slower; the fastest are kept,
 * and now and then their neighbours are tried again. Inputs of about the same length are compared.
 */
interface Candidate {
  threads: number;
  /** Of one token. The latest, for the fastest a mean of the latest. */
  ms: number;
  samples: number;
}

const firstSamples = 2;
/** With half the threads. Fewer still are not tried then. */
const clearlySlower = 1.2;
/** Every so many inputs, one tries a neighbour of the fastest. */
const retryEvery = 32;
const weightOfLatest = 0.5;

export class ThreadChoice {
  /** By the length of inputs, within a factor of two. */
  readonly #candidates = new Map<number, readonly Candidate[]>();
  #inputs = 0;

  constructor(private readonly most: number) {}

  /** What is the fastest for so many tokens, as far as it is known. */
  best(tokens: number): number {
    return fastest(this.#candidatesFor(tokens)).threads;
  }

  /** What the next input that is alone should use: mostly the fastest. */
  next(tokens: number): number {
    const candidates = this.#candidatesFor(tokens);
    this.#inputs += 1;
    const best = fastest(candidates);
    const untried = candidates.find(({ samples }) => samples < firstSamples);
    const previous = untried === undefined ? undefined : candidates[candidates.indexOf(untried) - 1];
    if (untried !== undefined && (previous === undefined || previous.ms <= best.ms * clearlySlower))
      return untried.threads;
    if (this.#inputs % retryEvery !== 0) return best.threads;
    const direction = this.#inputs % (2 * retryEvery) === 0 ? 1 : -1;
    return (candidates[candidates.indexOf(best) + direction] ?? best).threads;
  }

  record(threads: number, tokens: number, ms: number): void {
    const candidates = this.#candidatesFor(tokens);
    const candidate = candidates.find((one) => one.threads === threads);
    if (candidate === undefined) return;
    const latest = ms / tokens;
    if (candidate.samples < firstSamples) candidate.ms = Math.min(candidate.ms, latest);
    // What another one took when it was last tried may be long ago.
    else candidate.ms += (latest - candidate.ms) * (candidate === fastest(candidates) ? weightOfLatest : 1);
    candidate.samples += 1;
  }

  #candidatesFor(tokens: number): readonly Candidate[] {
    const length = Math.floor(Math.log2(Math.max(1, tokens)));
    const known = this.#candidates.get(length);
    if (known !== undefined) return known;
    const candidates: Candidate[] = [];
    for (let threads = this.most; threads >= 1; threads = Math.floor(threads / 2))
      candidates.push({ threads, ms: Infinity, samples: 0 });
    this.#candidates.set(length, candidates);
    return candidates;
  }
}

/** The first where nothing is known. */
const fastest = (candidates: readonly Candidate[]): Candidate =>
  candidates.reduce((best, one) => (one.ms < best.ms ? one : best));
