/** Quotas over months of fast-forwarded time: never exceeded, nothing counted twice, nothing lost by a restart. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeyLimits, Plan, Quotas } from "../entities.js";
import { ServiceError } from "../errors.js";
import { Calendar } from "./calendar.js";
import { Limits } from "./limits.js";
import { QuotaBook, quotaUse } from "./quota-book.js";
import { StoreUnavailable } from "../store.js";
import { LiveRates } from "../usage/live-rates.js";
import type { QuotaDay, QuotaUse, UsageStore } from "../usage/ports.js";
import { UsageRecorder } from "../usage/usage-recorder.js";
import { memoryCounters } from "../../store/counters/counters.js";
import { callerWith } from "../../../test/support/clients/caller.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { runs } from "../../../test/support/depth.js";

/** Adds each batch once, and can lose the answer to a write. */
class QuotaRows {
  readonly days: QuotaDay[] = [];
  readonly #batches = new Set<string>();
  /** `before`: nothing is written; `after`: it is, and nobody hears of it. */
  failure: "none" | "before" | "after" = "none";

  readonly usage: UsageStore = {
    add: async (_rows, batch, days = []) => {
      if (this.failure === "before") throw new StoreUnavailable("test");
      if (!this.#batches.has(batch?.id ?? "")) this.days.push(...days);
      this.#batches.add(batch?.id ?? "");
      if (this.failure === "after") throw new StoreUnavailable("test");
    },
    forgetBatches: async () => undefined,
    read: async () => [],
    readByTime: async () => [],
    readByKey: async () => [],
    readByModel: async () => [],
    prune: async () => undefined,
  };

  used = async (accountId: string, keyId: string | null, days: string): Promise<QuotaUse> => {
    const mine = this.days.filter(
      (row) =>
        row.accountId === accountId && row.day.startsWith(days) && (keyId === null || row.keyId === keyId),
    );
    const sum = (kind: keyof QuotaUse) => mine.reduce((total, row) => total + row[kind], 0);
    return { requests: sum("requests"), tokens: sum("tokens") };
  };
}

/** A server that counts in memory, on rows that outlive it. */
function startOn(rows: QuotaRows, clock: FakeClock, zone: string) {
  const recorder = new UsageRecorder({
    store: rows.usage,
    rates: new LiveRates(clock),
    clock,
    reportError: () => undefined,
  });
  const quotas = new QuotaBook({
    clock,
    calendar: new Calendar(zone),
    used: quotaUse(rows, recorder),
    record: (used) => recorder.recordDay(used),
  });
  const newLimits = () => {
    return new Limits(memoryCounters(clock).admissions, { quotas });
  };
  const server = {
    limits: newLimits(),
    /** As when Redis loses its data. */
    forgetCounts: () => {
      server.limits = newLimits();
    },
    flush: () => recorder.flush(),
    stop: () => recorder.close(),
  };
  return server;
}

const roomy: Partial<Plan> = { tokensPerMinute: 1_000_000, concurrentRequests: 1_000 };
const caller = (plan: Partial<Quotas>, key: Partial<KeyLimits> = {}) =>
  callerWith({ ...roomy, ...plan }, key);

async function ask(limits: Limits, who: ReturnType<typeof caller>, reserve: number, used: number | null) {
  const admission = limits.enter(who, { isCounted: true });
  try {
    await admission.reserve(reserve);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  await admission.settle(used);
  return null;
}

const at = (time: string): FakeClock => {
  const clock = new FakeClock();
  clock.advance(Date.parse(time) - clock.now().getTime());
  return clock;
};

describe("a quota", () => {
  it("refuses what goes past it, says what and when, and is whole again the next day", async () => {
    const clock = at("2026-11-16T10:00:00Z");
    const server = startOn(new QuotaRows(), clock, "UTC");
    const who = caller({ tokensPerDay: 100, requestsPerMonth: 5 });
    expect(await ask(server.limits, who, 60, 50)).toBeNull();
    const refusal = await ask(server.limits, who, 60, 60);
    expect(refusal).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(refusal?.message).toBe(
      "This request does not fit in what is left: it needs up to 60 tokens, and 50 of 100 tokens per day on the plan 'Small' are left. Ask for a shorter reply, or try again after the reset at 2026-11-17T00:00:00Z.",
    );
    expect(refusal).toMatchObject({ retryAfterSeconds: 14 * 3600, shouldRetry: false });
    expect(await ask(server.limits, who, 50, 50)).toBeNull();
    expect((await ask(server.limits, who, 1, 1))?.message).toBe(
      "Quota reached: 100 tokens per day on the plan 'Small'; this request needs up to 1. It resets at 2026-11-17T00:00:00Z.",
    );
    clock.advance(14 * 3_600_000);
    expect(await ask(server.limits, who, 60, 50)).toBeNull();
    for (let count = 0; count < 2; count++) expect(await ask(server.limits, who, 1, 1)).toBeNull();
    expect((await ask(server.limits, who, 1, 1))?.message).toBe(
      "Quota reached: 5 requests per month on the plan 'Small'. It resets at 2026-12-01T00:00:00Z.",
    );
    await server.stop();
  });

  it("counts neither what was refused nor what never ran", async () => {
    const clock = at("2026-11-16T10:00:00Z");
    const server = startOn(new QuotaRows(), clock, "UTC");
    const who = caller({ requestsPerDay: 2, tokensPerDay: 100 });
    for (let count = 0; count < 5; count++) {
      await ask(server.limits, who, 80, null);
      await ask(server.limits, who, 101, 1);
    }
    expect(await ask(server.limits, who, 80, 80)).toBeNull();
    expect(await ask(server.limits, who, 20, 20)).toBeNull();
    expect(await ask(server.limits, who, 1, 1)).not.toBeNull();
    await server.stop();
  });

  it("of a key leaves the rest of the account's to its other keys", async () => {
    const clock = at("2026-11-16T10:00:00Z");
    const server = startOn(new QuotaRows(), clock, "UTC");
    const limited = caller({ tokensPerDay: 100 }, { tokensPerDay: 40 });
    const other = { ...limited, key: { ...caller({}).key, id: "key_2", lineage: "key_2" } };
    expect(await ask(server.limits, limited, 40, 40)).toBeNull();
    expect((await ask(server.limits, limited, 1, 1))?.message).toContain("40 tokens per day on this key");
    expect(await ask(server.limits, other, 60, 60)).toBeNull();
    expect((await ask(server.limits, other, 1, 1))?.message).toContain("on the plan 'Small'");
    expect(await server.limits.readings(limited)).toMatchObject([
      { name: "requests_per_minute", scope: "account" },
      { name: "tokens_per_minute", scope: "account" },
      { name: "tokens_per_day", scope: "key", remaining: 0 },
      { name: "tokens_per_day", scope: "account", remaining: 0, limit: 100 },
      { name: "concurrent_requests", scope: "account", resetMs: null },
    ]);
    await server.stop();
  });

  it("counts a reply that ends after midnight on the day it was admitted, also after a restart", async () => {
    const [clock, rows] = [at("2026-11-16T23:59:59Z"), new QuotaRows()];
    const server = startOn(rows, clock, "UTC");
    const who = caller({ tokensPerDay: 100 });
    const admission = server.limits.enter(who, { isCounted: true });
    await admission.reserve(100);
    clock.advance(5_000);
    await admission.settle(90);
    await server.stop();
    expect(rows.days).toMatchObject([{ day: "2026-11-16", requests: 1, tokens: 90 }]);
    const next = startOn(rows, clock, "UTC");
    expect(await ask(next.limits, who, 100, 100)).toBeNull();
    await next.stop();
  });

  const step = fc.record({
    passMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 * 3_600_000 })),
    key: fc.constantFrom("key_1", "key_2"),
    reserve: fc.integer({ min: 1, max: 60 }),
    used: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 60 })),
    write: fc.constantFrom("none" as const, "before" as const, "after" as const),
    then: fc.constantFrom("nothing" as const, "restart" as const, "counters forget" as const),
  });

  it("holds over months, changes of the clocks, restarts and writes that are tried again", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("UTC", "Europe/Berlin", "America/Havana", "Asia/Kolkata", "Australia/Lord_Howe"),
        fc.date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true }),
        fc.array(step, { minLength: 60, maxLength: 120 }),
        async (zone, start, steps) => {
          const [clock, rows, calendar] = [at(start.toISOString()), new QuotaRows(), new Calendar(zone)];
          const plan = { tokensPerDay: 150, requestsPerDay: 4, tokensPerMonth: 900, requestsPerMonth: 30 };
          let server = startOn(rows, clock, zone);
          /** By window and kind, as a person would add it up. */
          const book = new Map<string, number>();
          const add = (name: string, amount: number) => book.set(name, (book.get(name) ?? 0) + amount);
          for (const { passMs, key, reserve, used, write, then } of steps) {
            clock.advance(passMs);
            const day = calendar.windowAt("day", clock.now()).label;
            const month = day.slice(0, 7);
            const who = caller(plan, { tokensPerDay: 100 });
            who.key.id = who.key.lineage = key;
            const ran = used === null ? null : Math.min(used, reserve);
            const fits =
              (book.get(`${day} tokens`) ?? 0) + reserve <= plan.tokensPerDay &&
              (book.get(`${day} ${key}`) ?? 0) + reserve <= 100 &&
              (book.get(`${month} tokens`) ?? 0) + reserve <= plan.tokensPerMonth &&
              (book.get(`${day} requests`) ?? 0) < plan.requestsPerDay &&
              (book.get(`${month} requests`) ?? 0) < plan.requestsPerMonth;
            const refusal = await ask(server.limits, who, reserve, ran);
            expect(refusal === null, `${zone} ${clock.now().toISOString()} ${refusal?.message ?? ""}`).toBe(
              fits,
            );
            if (refusal === null && ran !== null) {
              for (const name of [`${day} tokens`, `${month} tokens`, `${day} ${key}`]) add(name, ran);
              for (const name of [`${day} requests`, `${month} requests`]) add(name, 1);
            }
            rows.failure = write;
            await server.flush();
            if (then === "nothing") continue;
            rows.failure = "none";
            if (then === "counters forget") server.forgetCounts();
            else {
              await server.stop();
              server = startOn(rows, clock, zone);
            }
          }
          rows.failure = "none";
          await server.stop();
          const total = await rows.used("acc_1", null, "20");
          const months = [...book].filter(([name]) => /^\d{4}-\d\d tokens$/.test(name));
          expect(total.tokens).toBe(months.reduce((sum, [, tokens]) => sum + tokens, 0));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
