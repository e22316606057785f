/**
 * How many threads compute one input fastest, by measuring it.
 *
 * An input is over in milliseconds, and its threads meet after every operation: what they take then says nothing about
 * idle cores (thread-pace.ts), and where another process takes one of them, fewer threads are faster. So all threads are
 * tried on the first inputs, then half of them and so on, as long as that is not clearly slower; the fastest are kept,
 * and now and then their neighbours are tried again, seldom where they were clearly slower. Inputs of about the same length
 * are compared, by the least that a token took in the latest of them: a single input may take twice as long for reasons of
 * the machine, most of all while the program itself is starting.
 */
interface Candidate {
  threads: number;
  /** What a token took. */
  latestMs: number[];
}

const samples = 4;
/** With half the threads. Fewer still are not tried then. */
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
    if (
      untried !== undefined &&
      (previous === undefined || leastMs(previous) <= leastMs(best) * clearlySlower)
    )
      return untried.threads;
    if (tried.inputs % retryEvery !== 0) return best.threads;
    const turn = tried.inputs / retryEvery;
    const neighbour = candidates[candidates.indexOf(best) + (turn % 2 === 0 ? 1 : -1)];
    const isDue =
      neighbour !== undefined &&
      (leastMs(neighbour) <= leastMs(best) * clearlySlower || Math.ceil(turn / 2) % seldom === 0);
    return isDue ? neighbour.threads : best.threads;
  }

  record(threads: number, tokens: number, ms: number): void {
    const { candidates } = this.#triedWith(tokens);
    const latestMs = candidates.find((one) => one.threads === threads)?.latestMs;
    latestMs?.push(ms / tokens);
    if (latestMs !== undefined && latestMs.length > samples) latestMs.shift();
  }

  #triedWith(tokens: number): Tried {
    const length = Math.floor(Math.log2(Math.max(1, tokens)));
    const known = this.#tried.get(length);
    if (known !== undefined) return known;
    const candidates: Candidate[] = [];
    for (let threads = this.most; threads >= 1; threads = Math.floor(threads / 2))
      candidates.push({ threads, latestMs: [] });
    const tried = { candidates, inputs: 0 };
    this.#tried.set(length, tried);
    return tried;
  }
}

/** The first where nothing is known. */
const fastest = (candidates: readonly Candidate[]): Candidate =>
  candidates.reduce((best, one) => (leastMs(one) < leastMs(best) ? one : best));

const leastMs = ({ latestMs }: Candidate): number => Math.min(...latestMs);
