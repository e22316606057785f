/**
 * What one large body holds while it is read and parsed, and its images until they are answered. Its account's share is
 * reserved by the length it declares, so that bodies of one account wait for one another only. The bytes of all accounts
 * together are counted as they arrive: a body that is declared and not sent takes nothing from others. Where they do not
 * fit any more, bodies are read to their end one at a time, round-robin by account; that one is not counted, and never
 * waits for the others.
 *
 * A text is soon shorter than a model's context. Images are not, and stay in memory until the engine has read them. They
 * have a memory of their own, which a body that is longer than text may be takes from before it is read.
 */
import { FairShares, type FairSharesOptions } from "./fair-shares.js";

interface BodySharesOptions extends Pick<FairSharesOptions, "maxWaitMs" | "maxWaiting"> {
  /** Of one body, and of all bodies of one account. */
  limitBytes: number;
  /** Of all bodies together, without the one that is read alone. */
  totalBytes: number;
}

export class BodyShares {
  /** An account's bytes. */
  readonly own: FairShares;
  /** Whose body is read alone. */
  readonly alone: FairShares;
  #arrived = 0;

  constructor(private readonly options: BodySharesOptions) {
    this.own = new FairShares({ ...options, total: Infinity, perOwner: options.limitBytes });
    this.alone = new FairShares({ ...options, total: 1, perOwner: 1 });
  }

  get waiting(): number {
    return this.own.waiting + this.alone.waiting;
  }

  /** False when there is no room. Negative to give back. */
  count(bytes: number): boolean {
    if (this.#arrived + bytes > this.options.totalBytes) return false;
    this.#arrived += bytes;
    return true;
  }
}

/** Where large bodies are held. */
export interface BodyRooms {
  text: BodyShares;
  /** In bytes. */
  images: FairShares;
  /** Longer bodies have images in them, or are refused. */
  textBytes: number;
  /** With images. */
  limitBytes: number;
}

export class LargeBody {
  #counted = 0;
  #isAdmitted = false;
  #isAlone = false;
  readonly #held: (() => void)[] = [];
  #releaseImages: (() => void) | null = null;

  constructor(
    private readonly rooms: BodyRooms,
    private readonly owner: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether it turned out to be one. */
  get isAdmitted(): boolean {
    return this.#isAdmitted;
  }

  /** Whether it is longer than text may be. */
  get isAmongImages(): boolean {
    return this.#releaseImages !== null;
  }

  /** Waits until a body of up to this many bytes may be read. Of unknown length, it counts as text at first. */
  async admit(bytes: number = this.rooms.textBytes): Promise<void> {
    if (bytes > this.rooms.textBytes) await this.#moveToImages(bytes);
    else this.#held.push(await this.rooms.text.own.take(this.owner, bytes, this.signal));
    this.#isAdmitted = true;
  }

  /** Counts what has arrived. Returns a promise when no more may be read before it resolves. */
  arrived(bytes: number): Promise<void> | undefined {
    if (this.isAmongImages) return undefined;
    if (bytes > this.rooms.textBytes) return this.#moveToImages(this.rooms.limitBytes);
    if (this.#isAlone) return undefined;
    if (!this.rooms.text.count(bytes - this.#counted)) return this.#waitForTurnAlone();
    this.#counted = bytes;
    return undefined;
  }

  /** Waits for memory for its images; gives back the rest. What is returned gives back that memory. */
  async keepImages(bytes: number): Promise<() => void> {
    if (!this.isAmongImages) await this.#moveToImages(bytes);
    this.signal.throwIfAborted();
    const release = this.#releaseImages ?? (() => undefined);
    this.#releaseImages = null;
    return release;
  }

  release(): void {
    this.rooms.text.count(-this.#counted);
    this.#counted = 0;
    for (const giveBack of this.#held.splice(0)) giveBack();
    this.#releaseImages?.();
  }

  async #moveToImages(bytes: number): Promise<void> {
    // What waits here must not block bodies of text.
    this.release();
    this.#isAlone = false;
    this.#releaseImages = await this.rooms.images.take(this.owner, bytes, this.signal);
  }

  async #waitForTurnAlone(): Promise<void> {
    this.#held.push(await this.rooms.text.alone.take(this.owner, 1, this.signal));
    this.#isAlone = true;
  }
}
