/**
 * Admissions in Redis: one script counts the request, takes its leases and reserves its tokens, another settles all
 * of it.
 *
 * While Redis is not trusted, this replica admits its share of every limit, counted in memory
 * (`memory-admissions.ts`). Those counts are not reported when Redis recovers: windows of a minute continue with what
 * Redis has, and those of quotas are opened again from the database, all at one moment that is known 2 s ahead
 * (`redis-link.ts`).
 *
 * A window that is opened must count each settled request once. Requests settled before that moment, or while the
 * window is not open, are written to the database immediately (`settle` resolves to false), and the replica that
 * opens the window waits for those writes. A request settled while the window is being opened waits until it is open,
 * and is recorded after it was counted there.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import * as z from "zod";
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  WindowAsk,
  CounterReading,
  Lease,
} from "../../core/counters.js";
import type { Clock } from "../../core/clock.js";
import { openScript } from "./admission-scripts.js";
import { ExpiringWindows } from "./expiring-windows.js";
import { MemoryAdmissions } from "./memory-admissions.js";
import { MemoryWindows } from "./memory-windows.js";
import { RedisLease, type LeaseEntry, type RedisLeases } from "./redis-leases.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";

/** How long a window may take to be opened. */
const openingMs = 5_000;
const pollMs = 25;
/** How long an immediate write to the database takes, and for how long after an outage such writes are expected. */
const [writtenWithinMs, writesExpectedMs] = [100, 10 * 60_000];

const answerSchema = z.array(z.union([z.number(), z.string()])).nonempty();
const settledSchema = z.array(z.number()).nonempty();

interface SeenWindow {
  id: string;
  count: number;
  endsMs: number;
}

export class RedisAdmissions implements Admissions {
  readonly #fallbackWindows: MemoryWindows;
  readonly #fallback: MemoryAdmissions;
  /** By key: what Redis last said of a window. */
  readonly #seen: ExpiringWindows<SeenWindow>;
  readonly #clock: Clock;

  constructor(
    private readonly link: RedisLink,
    private readonly leases: RedisLeases,
    { clock = link.clock, sweepEveryMs }: { clock?: Clock; sweepEveryMs?: number } = {},
  ) {
    this.#clock = clock;
    this.#fallbackWindows = new MemoryWindows(clock, sweepEveryMs);
    this.#fallback = new MemoryAdmissions(this.#fallbackWindows, leases, () => link.replicas);
    this.#seen = new ExpiringWindows(clock, sweepEveryMs);
    link.onRecovery(async () => this.#fallbackWindows.closeRecorded());
  }

  get canRecall(): boolean {
    return this.link.isTrusted;
  }

  held(name: string): Promise<number> {
    return this.leases.held(name);
  }

  recall(name: string): number {
    return this.#seen.live(this.#key(name))?.count ?? 0;
  }

  recallHeld(name: string): number {
    return this.leases.recall(name);
  }

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    const untilMs = this.link.clock.monotonicMs() + openingMs;
    while (this.link.isTrusted && this.link.clock.monotonicMs() < untilMs) {
      const answer = await this.#attempt(ask);
      if (answer === undefined) break;
      if (!Array.isArray(answer)) return answer;
      await Promise.all(answer.map((unknown) => this.#open(unknown)));
    }
    return this.#fallback.admit(ask);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean> {
    if (!this.link.isTrusted) return this.#settleInMemory(corrections, lease);
    const isShared = lease instanceof RedisLease;
    if (!isShared) lease?.release();
    const released = isShared ? lease.stopHolding() : [];
    for (const { name, window, amount } of corrections) this.#correctSeen(name, window, amount);
    const hasReserved = isShared && lease.hasReserved && released.length > 0;
    const { isReopening, clock } = this.link;
    const untilMs = clock.monotonicMs() + openingMs;
    let settled = await this.#settleInRedis(corrections, released, hasReserved);
    while (settled?.isOpening === true && clock.monotonicMs() < untilMs) {
      await sleep(pollMs);
      settled = await this.#settleInRedis(settled.unknown, [], false);
    }
    if (settled === undefined) return this.#settleInMemory(corrections, null);
    return settled.unknown.length === 0 && !isReopening;
  }

  async close(): Promise<void> {
    this.#seen.close();
    this.#fallbackWindows.close();
  }

  /** What windows are kept by in this process. */
  names(): string[] {
    return [...this.#seen.names(), ...this.#fallbackWindows.names()];
  }

  async #settleInMemory(corrections: readonly Correction[], lease: Lease | null): Promise<false> {
    await this.#fallback.settle(corrections, lease);
    return false;
  }

  /** Resolves to the corrections of windows that Redis does not know; to undefined when Redis was lost. */
  async #settleInRedis(
    corrections: readonly Correction[],
    released: readonly LeaseEntry[],
    hasReserved: boolean,
  ): Promise<{ isOpening: boolean; unknown: Correction[] } | undefined> {
    try {
      const [isOpening, ...unknown] = settledSchema.parse(
        await this.link.run((redis) =>
          redis.sottoSettle(
            corrections.length + released.length,
            ...corrections.map(({ name }) => this.#key(name)),
            ...released.map(({ key }) => key),
            corrections.length,
            this.link.reopenAt,
            ...corrections.flatMap(({ window, amount, otherwise = "" }) => [window, amount, otherwise]),
            ...released.map(({ id }) => id),
            hasReserved ? 1 : 0,
          ),
        ),
      );
      return {
        isOpening: isOpening === 1,
        unknown: corrections.filter((_, index) => unknown.includes(index + 1)),
      };
    } catch (error) {
      throwUnlessUnavailable(error);
      await this.leases.remove(released);
      return undefined;
    }
  }

  /** One caller opens it, the others wait a moment. Rejects when the database is unavailable. */
  async #open({ name, windowMs, initial }: WindowAsk): Promise<void> {
    const key = this.#key(name);
    const run = (command: (redis: Redis) => Promise<unknown>) =>
      this.link.run(command).catch(throwUnlessUnavailable);
    const claimed = await run((redis) => redis.set(`${key}:opening`, "1", "PX", openingMs, "NX"));
    if (claimed !== "OK") return sleep(pollMs);
    try {
      if (this.link.reopenedForMs < writesExpectedMs) await sleep(writtenWithinMs);
      const count = (await initial?.()) ?? 0;
      const values = [count, Math.max(1, Math.ceil(windowMs)), randomUUID(), this.link.reopenAt];
      await run((redis) => redis.eval(openScript, 1, key, ...values));
    } catch (error) {
      await run((redis) => redis.del(`${key}:opening`));
      throw error;
    }
  }

  /** Resolves to windows that must be opened first; to undefined when Redis was lost. */
  async #attempt(ask: AdmissionAsk): Promise<AdmissionAnswer | WindowAsk[] | undefined> {
    const { first, leases, then, read } = ask;
    const windows = [...first, ...then, ...read];
    const id = randomUUID();
    const answer = await this.link
      .run((redis) =>
        redis.sottoAdmit(
          windows.length + leases.length,
          ...windows.map(({ name }) => this.#key(name)),
          ...leases.map(({ name }) => this.leases.key(name)),
          id,
          this.leases.liveMs,
          this.link.reopenAt,
          first.length,
          then.length,
          read.length,
          ...windows.flatMap(({ amount, limit, windowMs, initial }) => [
            amount,
            limit,
            Math.max(1, Math.ceil(windowMs)),
            initial === undefined ? 0 : 1,
          ]),
          ...leases.map(({ limit }) => limit),
        ),
      )
      .catch(throwUnlessUnavailable);
    if (answer === undefined) {
      // Redis may have executed it nevertheless.
      await this.leases.remove(leases.map(({ name }) => this.leases.entry(name, id)));
      return undefined;
    }
    const [refused, ...rest] = answerSchema.parse(answer);
    if (refused === -1) return windows.filter((_, index) => rest.includes(index + 1));
    const readings = new Map<string, CounterReading>();
    windows.forEach((asked, index) => {
      const [count, resetMs, window] = [rest[index * 3], rest[index * 3 + 1], rest[index * 3 + 2]];
      readings.set(asked.name, this.#saw(asked, Number(count), Number(resetMs), String(window)));
    });
    const refusedBy = [...windows, ...leases][Number(refused) - 1] ?? null;
    leases.forEach((asked, index) => {
      const held = Number(rest[windows.length * 3 + index]);
      if (asked === refusedBy) this.leases.refused(asked.name, held);
    });
    const isGiven = refusedBy === null && leases.length > 0;
    const hasReserved = then.some(({ amount, initial }) => amount > 0 && initial !== undefined);
    const names = leases.map(({ name }) => name);
    return { refusedBy, readings, lease: isGiven ? this.leases.hold(names, id, hasReserved) : null };
  }

  #saw({ name, limit }: WindowAsk, count: number, resetMs: number, id: string): CounterReading {
    const endsMs = this.#clock.monotonicMs() + resetMs;
    if (id !== "") this.#seen.set(this.#key(name), { id, count, endsMs });
    const remaining = Math.max(0, limit - count);
    return { admitted: remaining > 0, count, remaining, resetMs, window: id };
  }

  #correctSeen(name: string, id: string, amount: number): void {
    const seen = this.#seen.live(this.#key(name));
    if (seen?.id === id) seen.count = Math.max(0, seen.count + amount);
  }

  #key(name: string): string {
    return this.link.name("window", name);
  }
}
