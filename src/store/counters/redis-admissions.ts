/**
 * Admissions in Redis: one script counts the request, takes its leases and reserves its tokens, another settles all of it.
 * While Redis is not trusted, each limit is counted alone here, by the rules of `local-shares.ts` and
 * `redis-leases.ts`; what those counted is reported before the next script counts in the same windows.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  WindowAsk,
} from "../../core/limit-ports.js";
import type { CounterReading, Lease } from "../../core/ports.js";
import { OneByOne } from "./one-by-one.js";
import type { RedisCounter } from "./redis-counter.js";
import { RedisLease, type RedisLeases } from "./redis-leases.js";
import { throwUnlessUnavailable, type RedisLink } from "./redis-link.js";

/** A window that Redis loses again and again between two commands. */
const mostAttempts = 3;

const answerSchema = z.array(z.union([z.number(), z.string()])).nonempty();

export class RedisAdmissions implements Admissions {
  readonly #alone: OneByOne;

  constructor(
    private readonly link: RedisLink,
    private readonly counter: RedisCounter,
    private readonly leases: RedisLeases,
  ) {
    this.#alone = new OneByOne(counter, leases);
  }

  get canRecall(): boolean {
    return this.link.isTrusted;
  }

  recall(name: string): number {
    return this.counter.recall(name);
  }

  recallHeld(name: string): number {
    return this.leases.recall(name);
  }

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    for (let attempt = 0; attempt < mostAttempts && this.link.isTrusted; attempt++) {
      const answer = await this.#attempt(ask).catch(throwUnlessUnavailable);
      if (answer === undefined) break;
      if (!Array.isArray(answer)) return answer;
      await Promise.all(answer.map((unknown) => this.#open(unknown)));
    }
    return this.#alone.admit(ask);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<void> {
    if (!this.link.isTrusted || !(lease === null || lease instanceof RedisLease)) {
      return this.#alone.settle(corrections, lease);
    }
    const windows = corrections.map((correction) => ({
      ...correction,
      key: this.counter.correctHere(correction),
    }));
    const freed = lease?.letGo() ?? [];
    await this.link
      .run((redis) =>
        redis.sottoSettle(
          windows.length + freed.length,
          ...windows.map(({ key }) => key),
          ...freed.map(({ key }) => key),
          windows.length,
          ...windows.flatMap(({ window, amount, otherwise = "" }) => [window, amount, otherwise]),
          ...freed.map(({ id }) => id),
          lease?.hasReserved === true && freed.length > 0 ? 1 : 0,
        ),
      )
      .catch(throwUnlessUnavailable);
  }

  async #open({ name, windowMs, initial }: WindowAsk): Promise<void> {
    await this.counter.open(name, windowMs, (await initial?.()) ?? 0);
  }

  /** Resolves to windows that must be opened first. */
  async #attempt(ask: AdmissionAsk): Promise<AdmissionAnswer | WindowAsk[]> {
    const { first, leases, then, read } = ask;
    const windows = [...first, ...then, ...read];
    const keys = windows.map(({ name }) => this.counter.key(name));
    await this.counter.report(keys);
    const id = randomUUID();
    const [refused, ...rest] = answerSchema.parse(
      await this.link.run((redis) =>
        redis.sottoAdmit(
          windows.length + leases.length,
          ...keys,
          ...leases.map(({ name }) => this.leases.key(name)),
          id,
          this.leases.liveMs,
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
      ),
    );
    if (refused === -1) return windows.filter((_, index) => rest.includes(index + 1));
    const readings = new Map<string, CounterReading>();
    windows.forEach((asked, index) => {
      const [count, resetMs, window] = [rest[index * 3], rest[index * 3 + 1], rest[index * 3 + 2]];
      readings.set(asked.name, this.counter.heard(asked, Number(count), Number(resetMs), String(window)));
    });
    const held = rest.slice(windows.length * 3).map(Number);
    leases.forEach(({ name }, index) => this.leases.heard(name, held[index] ?? -1, refused === 0));
    const isGiven = refused === 0 && leases.length > 0;
    const hasReserved = then.some(({ amount, initial }) => amount > 0 && initial !== undefined);
    return {
      refusedBy: [...windows, ...leases][Number(refused) - 1] ?? null,
      readings,
      lease: isGiven
        ? this.leases.hold(
            leases.map(({ name }) => name),
            id,
            hasReserved,
          )
        : null,
    };
  }
}
