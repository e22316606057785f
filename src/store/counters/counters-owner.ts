/** The owner's side of `shared-counters.ts`: the counters of a single server, asked by several processes. */
import type { ProcessLink } from "../../adapters/process-link.js";
import type { Clock } from "../../core/clock.js";
import type { AdmissionAsk, Correction, Lease, WindowAsk } from "../../core/counters.js";
import { ExpiringWindows } from "./expiring-windows.js";
import { MemoryAdmissions } from "./memory-admissions.js";
import { MemoryLeases } from "./memory-leases.js";
import { MemoryWindows } from "./memory-windows.js";
import type { CounterListeners, OwnerCounters, SentAnswer, SentAsk, SentWindow } from "./shared-counters.js";

type Link = ProcessLink<CounterListeners, OwnerCounters>;

/** What a request holds, to be returned when its process ends. */
interface Held {
  lease: Lease;
  reserved: readonly Correction[];
}

export class CountersOwner {
  readonly #windows: MemoryWindows;
  readonly #admissions: MemoryAdmissions;
  readonly #uses: ExpiringWindows<{ endsMs: number }>;
  readonly #links = new Map<Link, Map<number, Held>>();
  #nextLease = 0;

  constructor(private readonly clock: Clock) {
    this.#windows = new MemoryWindows(clock);
    this.#admissions = new MemoryAdmissions(this.#windows, new MemoryLeases());
    this.#uses = new ExpiringWindows(clock);
  }

  add(link: Link): void {
    const held = new Map<number, Held>();
    this.#links.set(link, held);
    link.answer("admit", (ask) => this.#admit(ask, link));
    link.answer("settle", (corrections, lease) => {
      const ended = lease === null ? undefined : held.get(lease);
      if (lease !== null) held.delete(lease);
      void this.#admissions.settle(corrections, ended?.lease ?? null);
    });
    link.answer("held", (name) => this.#admissions.held(name));
    link.answer("claimUse", (name, forMs) => {
      if (this.#uses.live(name) !== undefined) return false;
      this.#uses.set(name, { endsMs: this.clock.monotonicMs() + forMs });
      return true;
    });
    link.answer("wakeOthers", () => this.#othersThan(link, (other) => other.note("wake")));
    link.answer("tellOthers", (note) => this.#othersThan(link, (other) => other.note("heard", note)));
  }

  /** Its process has ended. */
  remove(link: Link): void {
    const held = this.#links.get(link) ?? [];
    this.#links.delete(link);
    for (const [, { lease, reserved }] of held) void this.#admissions.settle(reserved, lease);
  }

  close(): void {
    this.#windows.close();
    this.#uses.close();
  }

  #othersThan(link: Link, tell: (other: Link) => void): void {
    for (const other of this.#links.keys()) if (other !== link) tell(other);
  }

  async #admit(ask: SentAsk, link: Link): Promise<SentAnswer> {
    const windows = [...ask.first, ...ask.then, ...ask.read];
    const unknown = windows.filter(({ name, initial }) => initial === "asked" && !this.#windows.isOpen(name));
    if (unknown.length > 0) return { unknown: unknown.map(({ name }) => name) };
    const { refusedBy, readings, lease } = await this.#admissions.admit(askOf(ask));
    const answer: SentAnswer = {
      readings: windows.map(({ name }) => readings.get(name) ?? null),
      ...(refusedBy === null ? {} : { refusedBy: refusedBy.name }),
    };
    if (lease === null) return answer;
    const id = this.#nextLease++;
    const reserved = ask.then.map(({ name, amount }) => ({
      name,
      window: readings.get(name)?.window ?? "",
      amount: -amount,
    }));
    const held = this.#links.get(link);
    if (held === undefined) void this.#admissions.settle(reserved, lease);
    else held.set(id, { lease, reserved });
    return { ...answer, lease: id };
  }
}

const askOf = ({ first, leases, then, read }: SentAsk): AdmissionAsk => ({
  first: first.map(windowOf),
  leases,
  then: then.map(windowOf),
  read: read.map(windowOf),
});

const windowOf = ({ initial, ...window }: SentWindow): WindowAsk =>
  typeof initial === "number" ? { ...window, initial: async () => initial } : window;
