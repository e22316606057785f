/**
 * Counts how completion requests ended, by hour, model and error code: for the causes on the admin page and the
 * availability on the public status page. Requests of callers without an account are counted too: while the database is
 * unreachable nobody can be identified, and that is an outage.
 *
 * Counts collect in memory and are added to the store every few seconds. A failed write is retried; a process that is
 * killed loses a few seconds, and a write whose answer was lost counts twice. Neither matters to a percentage of
 * thousands. Memory is bounded: models and codes are closed sets, and hours are limited
 * by `mostRows`.
 */
import type { ErrorCode } from "../errors.js";
import type { ModelId } from "../models.js";
import type { Clock } from "../clock.js";
import { PeriodicTask } from "../periodic-task.js";
import type { UsageOutcome } from "../usage/usage-recorder.js";
import type { LiveHour } from "./live-hour.js";
import type { Outcomes, OutcomeStore } from "./ports.js";

const flushEveryMs = 3_000;
const hourMs = 60 * 60_000;
/** Some days of an unreachable database. */
const mostRows = 10_000;

export interface EndedRequest {
  /** Null where it was not known yet. */
  model: ModelId | null;
  code: ErrorCode | "none";
  outcome: UsageOutcome;
}

export interface OutcomeRecorderParts {
  store: OutcomeStore;
  live: Pick<LiveHour, "add">;
  clock: Clock;
  reportError: (error: unknown) => void;
}

export class OutcomeRecorder {
  /** By hour, model and code. */
  #rows = new Map<string, Outcomes>();
  #failing = false;
  readonly #flushes: PeriodicTask;

  constructor(private readonly parts: OutcomeRecorderParts) {
    this.#flushes = new PeriodicTask(() => this.#write(), flushEveryMs);
  }

  record({ model, code, outcome }: EndedRequest): void {
    const now = this.parts.clock.now();
    this.parts.live.add(outcome, now);
    const nowMs = now.getTime();
    this.#add({ start: new Date(nowMs - (nowMs % hourMs)), model, code, requests: 1 });
  }

  /** Writes what has been counted. Never rejects. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  /** Writes the rest. Never rejects. */
  close(): Promise<void> {
    return this.#flushes.finish();
  }

  async #write(): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    try {
      await this.parts.store.add(rows);
      this.#failing = false;
    } catch (error) {
      rows.forEach((row) => this.#add(row));
      // Once for each time that it begins: an outage may last for hours.
      if (!this.#failing) this.parts.reportError(error);
      this.#failing = true;
    }
  }

  #add(row: Outcomes): void {
    const key = `${row.start.getTime()} ${row.model} ${row.code}`;
    const held = this.#rows.get(key);
    if (held !== undefined) held.requests += row.requests;
    else if (this.#rows.size < mostRows) this.#rows.set(key, row);
  }
}
