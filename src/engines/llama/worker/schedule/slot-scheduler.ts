/**
 * Which job gets a slot, and which is preempted for it.
 *
 * Slots are shared by account: of all that wait, new jobs and choices that were preempted, whoever's account has the
 * fewest slots is first, and inside an account the first to come. While no slot is free, one is taken from the account
 * with the most, as long as that leaves it with no fewer than the account it is given to: so an account alone has all
 * of them, and beside others no account keeps more than its share while another waits. Every such exchange evens the
 * numbers out, so two accounts never take slots from each other in turns.
 *
 * A job of several choices that finds no room is not overtaken by other jobs, which would starve it. Choices that
 * were preempted may: their jobs have begun, and may hold slots that end only with them.
 */
import type { Job } from "./job.js";
import type { Slots, Sequence } from "./slots.js";

/** A job, or a preempted choice, that wants slots. */
interface Candidate {
  slots: number;
  /** What is to be resumed; undefined for a job that has not begun. */
  sequence?: Sequence;
  job: Job;
}

export class SlotScheduler {
  /** Jobs that have not begun, by their ids. */
  readonly waiting = new Map<number, Job>();

  constructor(
    private readonly slots: Slots,
    private readonly options: { onPreempting: () => void; onAssigned: (job: Job) => void },
  ) {}

  /** Assigns slots to every candidate that can have them now. */
  admit(): void {
    while (!this.slots.isCopying) {
      const next = this.#next();
      if (next === undefined) return;
      if (next.sequence !== undefined) {
        this.slots.resume(next.sequence);
        continue;
      }
      this.waiting.delete(next.job.id);
      this.slots.assign(next.job);
      this.options.onAssigned(next.job);
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
    const preempted = this.slots.preempted();
    if (preempted.length === 0 && this.waiting.size === 0) return [];
    const held = this.slots.held();
    const begun = preempted.map((sequence): Candidate => ({ slots: 1, sequence, job: sequence.group.job }));
    const jobs = [...this.waiting.values()].map((job): Candidate => ({ slots: job.choices.length, job }));
    const heldBy = ({ job }: Candidate) => held.get(job.accountId) ?? 0;
    // Sorting keeps the order of those that are equal: first what has begun, then what came first.
    return [...begun, ...jobs].sort((a, b) => heldBy(a) - heldBy(b));
  }

  #makeRoom(candidate: Candidate): boolean {
    const missing = candidate.slots - this.slots.free;
    if (missing <= 0) return true;
    const donors = accountsToPreempt(this.slots.held(), candidate, missing);
    if (donors === null) return false;
    this.options.onPreempting();
    return donors.every((donor) => this.slots.preempt(donor));
  }
}

/** The accounts that each give up one slot, the one with the most first; null when that would leave one with too few. */
function accountsToPreempt(
  held: ReadonlyMap<string, number>,
  { job: { accountId }, slots }: Candidate,
  missing: number,
): string[] | null {
  const left = new Map(held);
  left.delete(accountId);
  let own = (held.get(accountId) ?? 0) + slots - missing;
  const donors: string[] = [];
  while (donors.length < missing) {
    const [richest] = [...left].sort(([, a], [, b]) => b - a);
    if (richest === undefined || richest[1] - 1 < own + 1) return null;
    own += 1;
    left.set(richest[0], richest[1] - 1);
    donors.push(richest[0]);
  }
  return donors;
}
