import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { noQuotas, type Quotas } from "../entities.js";
import type { QuotaDay } from "../usage/ports.js";
import { Calendar } from "./calendar.js";
import { MonthUse } from "./month-use.js";
import type { DayUse } from "./ports.js";

const day = (label: string, tokens: number): DayUse => ({ day: label, requests: 1, tokens });

const tokensAt = async (
  now: string,
  days: DayUse[],
  quotas: Partial<Quotas> = {},
  held: readonly QuotaDay[] = [],
) => {
  const month = new MonthUse({
    store: {
      byDay: async (_account, from) => days.filter((one) => one.day >= from),
      byPlanAndDay: async () => [],
    },
    usage: {
      retry: async () => undefined,
      reading: (_account, read) => read([], held),
      flush: async () => undefined,
    },
    clock: new FakeClock(new Date(now)),
    calendar: new Calendar("UTC"),
  });
  return (await month.ofAccount("acc", { ...noQuotas, ...quotas })).tokens;
};

describe("the forecast of a month", () => {
  it("goes on at the rate of the last seven days", async () => {
    const days = [day("2030-11-02", 5_000), ...["05", "06", "07", "08", "09", "10", "11"].map(daily)];
    const tokens = await tokensAt("2030-11-12T00:00:00Z", [...days], { tokensPerMonth: 10_000 });
    // Six whole days of the seven, the present one has just begun; 19 days are left.
    expect(tokens).toEqual({
      used: 5_700,
      forecast: 5_700 + 19 * 100,
      limit: 10_000,
      mostUsedAt: null,
      usedUpAt: null,
    });
    const tight = await tokensAt("2030-11-12T00:00:00Z", days, { tokensPerMonth: 7_500 });
    expect(tight).toMatchObject({
      mostUsedAt: "2030-11-15T00:00:00.000Z",
      usedUpAt: "2030-11-30T00:00:00.000Z",
    });
  });

  it("has a rate on the first of the month, from the days before it", async () => {
    const before = ["26", "27", "28", "29", "30", "31"].map((label) => day(`2030-10-${label}`, 100));
    const tokens = await tokensAt("2030-11-01T00:00:00Z", before, { tokensPerMonth: 2_000 });
    expect(tokens).toEqual({
      used: 0,
      forecast: 3_000,
      limit: 2_000,
      mostUsedAt: "2030-11-17T00:00:00.000Z",
      usedUpAt: "2030-11-21T00:00:00.000Z",
    });
  });

  it("takes the first hours of use for a day, and nothing for nothing", async () => {
    expect((await tokensAt("2030-11-29T01:00:00Z", [day("2030-11-29", 480)])).forecast).toBe(480 + 480 + 460);
    expect(await tokensAt("2030-11-29T01:00:00Z", [], { tokensPerMonth: 1 })).toEqual({
      used: 0,
      forecast: 0,
      limit: 1,
      mostUsedAt: null,
      usedUpAt: null,
    });
  });

  it("counts what is not written yet, and says nothing more once a quota is used up", async () => {
    const held = { accountId: "acc", keyId: "key", ...day("2030-11-12", 50) };
    const tokens = await tokensAt("2030-11-12T12:00:00Z", [day("2030-11-12", 50)], { tokensPerMonth: 90 }, [
      held,
    ]);
    expect(tokens).toMatchObject({ used: 100, limit: 90, mostUsedAt: null, usedUpAt: null });
  });
});

const daily = (label: string): DayUse => day(`2030-11-${label}`, 100);
