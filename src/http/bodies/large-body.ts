/**
 * What one large body holds while it is read and parsed. Its account's share is reserved by the length it declares,
 * so that bodies of one account wait for one another only. The bytes of all accounts together are counted as they
 * arrive: a body that is declared and not sent takes nothing from others. Where they do not fit any more, bodies are
 * read to their end one at a time, round-robin by account; that one is not counted, and never waits for the others.
 */
import { FairShares, type FairSharesOptions } from "./fair-shares.js";

interface BodySharesOptions extends Pick<FairSharesOptions, "maxWaitMs" | "maxWaiting"> {
  /** Of one body, and of all bodies of one account. */
  limitBytes: number;
  /** Of all bodies together, without the one that is read alone. */
  totalBytes: number;
}

export class BodyShares {
  readonly #own: FairShares;
  readonly #alone: FairShares;
  #arrived = 0;

  constructor(private readonly options: BodySharesOptions) {
    this.#own = new FairShares({ ...options, total: Infinity, perOwner: options.limitBytes });
    this.#alone = new FairShares({ ...options, total: 1, perOwner: 1 });
  }

  get waiting(): number {
    return this.#own.waiting + this.#alone.waiting;
  }

  async takeOwn(owner: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    return this.#own.take(owner, bytes, signal);
  }

  async takeTurnAlone(owner: string, signal: AbortSignal): Promise<() => void> {
    return this.#alone.take(owner, 1, signal);
  }

  /** False when there is no room. Negative to give back. */
  count(bytes: number): boolean {
    if (this.#arrived + bytes > this.options.totalBytes) return false;
    this.#arrived += bytes;
    return true;
  }
}

export class LargeBody {
  #counted = 0;
  #isAdmitted = false;
  #isAlone = false;
  readonly #held: (() => void)[] = [];

  constructor(
    private readonly shares: BodyShares,
    private readonly owner: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether it turned out to be one. */
  get isAdmitted(): boolean {
    return this.#isAdmitted;
  }

  /** Waits until a body of up to this many bytes may be read. */
  async admit(bytes: number): Promise<void> {
    this.#held.push(await this.shares.takeOwn(this.owner, bytes, this.signal));
    this.#isAdmitted = true;
  }

  /** Counts what has arrived. Returns a promise when no more may be read before it resolves. */
  arrived(bytes: number): Promise<void> | undefined {
    if (this.#isAlone) return undefined;
    if (!this.shares.count(bytes - this.#counted)) return this.#waitForTurnAlone();
    this.#counted = bytes;
    return undefined;
  }

  release(): void {
    this.shares.count(-this.#counted);
    this.#counted = 0;
    for (const giveBack of this.#held.splice(0)) giveBack();
  }

  async #waitForTurnAlone(): Promise<void> {
    this.#held.push(await this.shares.takeTurnAlone(this.owner, this.signal));
    this.#isAlone = true;
  }
}
