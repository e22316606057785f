/**
 * How many threads compute one input fastest, by measuring it.
 *
 * An input is over in milliseconds, and its threads meet after every operation: what they take then says nothing about
 * idle cores (thread-pace.ts), and where another process takes one of them, fewer threads are faster. So all threads are
 * tried on the first inputs, then three in four of them and so on, as long as that is not clearly slower; the fastest are kept,
 * and now and then their neighbours are tried again, seldom where they were clearly slower. Inputs of about the same length
 * are compared, by the median of what a token took in the latest of them: one may take several times as long for reasons of
 * the machine, most of all while the program itself is starting, or be luckier than most.
 */
interface Candidate {
  threads: number;
  /** What a token took, in the latest inputs. */
  latestMs: number[];
  /** Infinite before the first. */
  medianMs: number;
}

const samples = 5;
const fewer = 3 / 4;
/** With fewer threads. Fewer still are not tried then. */
const clearlySlower = 1.2;
/** Every so many inputs, one tries a neighbour of the fastest: by turns the one with more and the one with fewer threads. */
const retryEvery = 32;
/** Of the turns of a neighbour that was clearly slower, one in so many is taken. */
const seldom = 4;

interface Tried {
  candidates: readonly Candidate[];
  inputs: number;
}

export class ThreadChoice {
  /** By the length of inputs, within a factor of two. */
  readonly #tried = new Map<number, Tried>();

  constructor(private readonly most: number) {}

  /** What is the fastest for so many tokens, as far as it is known. */
  best(tokens: number): number {
    return fastest(this.#triedWith(tokens).candidates).threads;
  }

  /** What the next input that is alone should use: mostly the fastest. */
  next(tokens: number): number {
    const tried = this.#triedWith(tokens);
    const { candidates } = tried;
    tried.inputs += 1;
    const best = fastest(candidates);
    const untried = candidates.find(({ latestMs }) => latestMs.length < samples);
    const previous = untried === undefined ? undefined : candidates[candidates.indexOf(untried) - 1];
    const slowMs = best.medianMs * clearlySlower;
    if (untried !== undefined && (previous === undefined || previous.medianMs <= slowMs))
      return untried.threads;
    // Faster the last time it was tried: that is confirmed at once and not at the next retry.
    const promising = candidates.find(
      (one) => one !== best && (one.latestMs.at(-1) ?? Infinity) < best.medianMs,
    );
    if (promising !== undefined) return promising.threads;
    if (tried.inputs % retryEvery !== 0) return best.threads;
    const turn = tried.inputs / retryEvery;
    const neighbour = candidates[candidates.indexOf(best) + (turn % 2 === 0 ? 1 : -1)];
    const isDue =
      neighbour !== undefined && (neighbour.medianMs <= slowMs || Math.ceil(turn / 2) % seldom === 0);
    return isDue ? neighbour.threads : best.threads;
  }

  record(threads: number, tokens: number, ms: number): void {
    const { candidates } = this.#triedWith(tokens);
    const candidate = candidates.find((one) => one.threads === threads);
    if (candidate === undefined) return;
    candidate.latestMs = [...candidate.latestMs, ms / tokens].slice(-samples);
    const inOrder = candidate.latestMs.toSorted((a, b) => a - b);
    candidate.medianMs = inOrder[Math.floor(inOrder.length / 2)] ?? Infinity;
  }

  #triedWith(tokens: number): Tried {
    const length = Math.floor(Math.log2(Math.max(1, tokens)));
    const known = this.#tried.get(length);
    if (known !== undefined) return known;
    const candidates: Candidate[] = [];
    for (let threads = this.most; threads >= 1; threads = Math.floor(threads * fewer))
      candidates.push({ threads, latestMs: [], medianMs: Infinity });
    const tried = { candidates, inputs: 0 };
    this.#tried.set(length, tried);
    return tried;
  }
}

/** The first where nothing is known. */
const fastest = (candidates: readonly Candidate[]): Candidate =>
  candidates.reduce((best, one) => (one.medianMs < best.medianMs ? one : best));
