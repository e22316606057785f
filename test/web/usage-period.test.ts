import { afterEach, describe, expect, it } from "vitest";
import { axisMoment, usagePeriod, withEmptyBuckets } from "../../web/pages/app/usage/usage-period.js";

const now = Date.parse("2026-03-10T14:25:00Z");
const zone = process.env["TZ"];

afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe("usage periods", () => {
  it("end with the running hour or UTC day, so that the query stays the same until then", () => {
    expect(usagePeriod("24h", now)).toEqual({
      from: "2026-03-09T15:00:00.000Z",
      to: "2026-03-10T15:00:00.000Z",
      step: "hour",
    });
    expect(usagePeriod("24h", now + 30 * 60_000)).toEqual(usagePeriod("24h", now));
    expect(usagePeriod("30d", now)).toEqual({
      from: "2026-02-09T00:00:00.000Z",
      to: "2026-03-11T00:00:00.000Z",
      step: "day",
    });
  });

  it("have a bucket for every step, with zeros where nothing happened", () => {
    const period = usagePeriod("24h", now);
    const known = {
      start: "2026-03-10T02:00:00.000Z",
      requests: 3,
      errors: 1,
      rateLimited: 2,
      unavailable: 1,
      promptTokens: 40,
      completionTokens: 20,
      firstTokenMsP50: 200,
      firstTokenMsP95: 300,
    };
    const buckets = withEmptyBuckets([known], period);
    expect(buckets).toHaveLength(24);
    expect(buckets[0]).toMatchObject({ start: period.from, requests: 0, firstTokenMsP50: null });
    expect(buckets.filter((bucket) => bucket.requests > 0)).toEqual([known]);
  });

  it.each(["America/Los_Angeles", "UTC", "Pacific/Auckland"])(
    "label a UTC day by its own date in %s",
    (name) => {
      process.env["TZ"] = name;
      const shown = new Date(axisMoment("2026-03-10T00:00:00.000Z", "day"));
      expect([shown.getMonth() + 1, shown.getDate(), shown.getHours()]).toEqual([3, 10, 0]);
    },
  );
});
