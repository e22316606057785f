/**
 * Who gets a seat, and who gives one up for it.
 *
 * Seats are shared by account: of all that wait, new jobs and choices that were set aside, whoever's account has the
 * fewest seats is first, and inside an account the first to come. While no seat is free, one is taken from the account
 * with the most, as long as that leaves it with no fewer than the account it is given to: so an account alone has all
 * of them, and beside others no account keeps more than its share while another waits. Every such exchange evens the
 * numbers out, so two accounts never take seats from each other in turns.
 *
 * A job of several choices that finds no room is not overtaken by other jobs, which would starve it. Choices that
 * were set aside may: their jobs have begun, and may hold seats that end only with them.
 */
import type { Job } from "./job.js";
import type { Seats, Sequence } from "./seats.js";

/** Who wants seats. */
interface Candidate {
  accountId: string;
  seats: number;
  /** What is to be resumed; undefined for a job that has not begun. */
  sequence?: Sequence;
  job: Job;
}

export interface TurnsOptions {
  seats: Seats;
  /** Called before a choice is set aside. */
  onSettingAside: () => void;
  /** The job has got its seats. */
  onSeated: (job: Job) => void;
}

export class Turns {
  readonly #waiting = new Map<number, Job>();

  constructor(private readonly options: TurnsOptions) {}

  get waiting(): ReadonlyMap<number, Job> {
    return this.#waiting;
  }

  add(job: Job): void {
    this.#waiting.set(job.id, job);
  }

  /** Whether it was waiting. */
  remove(id: number): boolean {
    return this.#waiting.delete(id);
  }

  /** Gives seats to everyone who can have them now. */
  admit(): void {
    const { seats } = this.options;
    while (!seats.isCopying) {
      const next = this.#next();
      if (next === undefined) return;
      if (next.sequence !== undefined) {
        seats.resume(next.sequence);
        continue;
      }
      this.#waiting.delete(next.job.id);
      seats.seat(next.job);
      this.options.onSeated(next.job);
    }
  }

  /** With room made for it. */
  #next(): Candidate | undefined {
    let isJobBlocked = false;
    for (const candidate of this.#inOrder()) {
      const isJob = candidate.sequence === undefined;
      if (isJob && isJobBlocked) continue;
      if (this.#makeRoom(candidate)) return candidate;
      isJobBlocked ||= isJob;
    }
    return undefined;
  }

  #inOrder(): Candidate[] {
    const { seats } = this.options;
    const aside = seats.aside();
    if (aside.length === 0 && this.#waiting.size === 0) return [];
    const held = seats.held();
    const begun = aside.map((sequence): Candidate => {
      const { job } = sequence.group;
      return { accountId: job.accountId, seats: 1, sequence, job };
    });
    const jobs = [...this.#waiting.values()].map((job): Candidate => ({
      accountId: job.accountId,
      seats: job.choices.length,
      job,
    }));
    const heldBy = ({ accountId }: Candidate) => held.get(accountId) ?? 0;
    // Sorting keeps the order of those that are equal: first what has begun, then what came first.
    return [...begun, ...jobs].sort((a, b) => heldBy(a) - heldBy(b));
  }

  #makeRoom({ accountId, seats: wanted }: Candidate): boolean {
    const { seats, onSettingAside } = this.options;
    const missing = wanted - seats.free;
    if (missing <= 0) return true;
    const givers = whoGives(seats.held(), { accountId, gains: wanted, missing });
    if (givers === null) return false;
    onSettingAside();
    return givers.every((giver) => seats.setAside(giver));
  }
}

interface Wanted {
  accountId: string;
  /** How many seats it is to get, and how many of them are not free. */
  gains: number;
  missing: number;
}

/** The accounts that each give up one seat, the one with the most first; null when that would leave one with too few. */
export function whoGives(
  held: ReadonlyMap<string, number>,
  { accountId, gains, missing }: Wanted,
): string[] | null {
  const left = new Map(held);
  left.delete(accountId);
  let own = (held.get(accountId) ?? 0) + gains - missing;
  const givers: string[] = [];
  while (givers.length < missing) {
    const [richest] = [...left].sort(([, a], [, b]) => b - a);
    if (richest === undefined || richest[1] - 1 < own + 1) return null;
    own += 1;
    left.set(richest[0], richest[1] - 1);
    givers.push(richest[0]);
  }
  return givers;
}
