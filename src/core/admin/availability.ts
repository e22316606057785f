/**
 * How available the models were over the last 90 days, from counts of how requests ended. A request failed when it
 * was answered with an error of the service (500 or 503); refusals for maintenance count as neither, and refusals for
 * a limit or an invalid request as answered. What failed before its model was known failed for every model. While no
 * server runs at all, nothing is counted: the page says so.
 *
 * An incident is a run of hours in each of which some model failed at least three requests and a twentieth of all.
 */
import type { Outcomes, OutcomeStore } from "./ports.js";
import type { Clock } from "../clock.js";
import { type ErrorCode, errorTable } from "../errors.js";
import { isChatModelId, type ModelId, modelIds } from "../models.js";
import type { Availability, Incident, ModelDays } from "./service-views.js";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const days = 90;
export const historyMs = days * dayMs;
const leastFailures = 3;
const leastShare = 0.05;
/** Anyone may ask, so the store is asked at most this often. */
const freshMs = 60_000;
/** The newest; a feed with more is of no use to anyone. */
const mostIncidents = 50;

const isFailure = (code: ErrorCode | "none"): boolean =>
  code !== "none" && code !== "maintenance" && errorTable[code].status >= 500;

const failureCodes = (Object.keys(errorTable) as ErrorCode[]).filter(isFailure);

export class AvailabilityReports {
  #latest: { atMs: number; read: Promise<Availability> } | null = null;

  constructor(
    private readonly store: OutcomeStore,
    private readonly clock: Clock,
  ) {}

  /** As it was within the last minute. */
  read(): Promise<Availability> {
    const atMs = this.clock.monotonicMs();
    if (this.#latest !== null && atMs - this.#latest.atMs < freshMs) return this.#latest.read;
    const read = this.#read();
    this.#latest = { atMs, read };
    read.catch(() => {
      this.#latest = null;
    });
    return read;
  }

  async #read(): Promise<Availability> {
    const now = this.clock.now().getTime();
    const to = new Date(now - (now % dayMs) + dayMs);
    const from = new Date(to.getTime() - days * dayMs);
    const [byDay, hours, since] = await Promise.all([
      this.store.readByDay(from, to),
      this.store.readHoursWith(failureCodes, from, to),
      this.store.since(),
    ]);
    return {
      since: since?.toISOString() ?? null,
      models: modelsIn(byDay).map((model) => daysOf(model, byDay, from)),
      incidents: incidentsOf(hours).slice(0, mostIncidents),
    };
  }
}

/** One that does not chat only where it was asked for something: the operator may not offer it. */
const modelsIn = (rows: readonly Outcomes[]): ModelId[] =>
  modelIds.filter((model) => isChatModelId(model) || rows.some((row) => row.model === model));

interface Counts {
  answered: number;
  failed: number;
  maintenance: number;
}

function daysOf(model: ModelId, rows: readonly Outcomes[], from: Date): ModelDays {
  const all = none();
  const byDay = new Map<number, Counts>();
  for (const row of rows) {
    if (row.model !== model && row.model !== null) continue;
    const counts = byDay.get(row.start.getTime()) ?? none();
    byDay.set(row.start.getTime(), counts);
    addTo(counts, row);
    addTo(all, row);
  }
  return {
    model,
    availability: shareOf(all),
    days: Array.from({ length: days }, (_, day) => {
      const start = from.getTime() + day * dayMs;
      const counts = byDay.get(start) ?? none();
      return {
        date: new Date(start).toISOString().slice(0, 10),
        requests: counts.answered + counts.failed,
        failed: counts.failed,
        maintenance: counts.maintenance,
        availability: shareOf(counts),
      };
    }),
  };
}

const none = (): Counts => ({ answered: 0, failed: 0, maintenance: 0 });

/** Of what has no model, only failures are of interest to each of them. */
function addTo(counts: Counts, { model, code, requests }: Outcomes): void {
  if (isFailure(code)) counts.failed += requests;
  else if (code === "maintenance") counts.maintenance += requests;
  else if (model !== null) counts.answered += requests;
}

/** Null without any request. */
function shareOf({ answered, failed }: Counts): number | null {
  return answered + failed === 0 ? null : answered / (answered + failed);
}

/** The newest first. */
function incidentsOf(rows: readonly Outcomes[]): Incident[] {
  const incidents: Incident[] = [];
  const hours = [...new Set(rows.map((row) => row.start.getTime()))].sort((a, b) => a - b);
  for (const start of hours) {
    const ofHour = rows.filter((row) => row.start.getTime() === start);
    const models = modelsIn(ofHour).filter((model) => isIncident(model, ofHour));
    if (models.length === 0) continue;
    const failed = ofHour.filter((row) => isFailure(row.code)).reduce((sum, row) => sum + row.requests, 0);
    const last = incidents.at(-1);
    if (last !== undefined && Date.parse(last.endsAt) === start) {
      last.endsAt = new Date(start + hourMs).toISOString();
      last.models = modelIds.filter((model) => last.models.includes(model) || models.includes(model));
      last.failed += failed;
    } else {
      incidents.push({
        startsAt: new Date(start).toISOString(),
        endsAt: new Date(start + hourMs).toISOString(),
        models,
        failed,
      });
    }
  }
  return incidents.reverse();
}

function isIncident(model: ModelId, ofHour: readonly Outcomes[]): boolean {
  const counts = none();
  for (const row of ofHour) if (row.model === model || row.model === null) addTo(counts, row);
  return counts.failed >= leastFailures && counts.failed / (counts.answered + counts.failed) >= leastShare;
}
