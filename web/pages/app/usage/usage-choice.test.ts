import { describe, expect, it } from "vitest";
import { filtersIn, withFilters } from "../../../hooks/use-url-filters.ts";
import {
  choiceOf,
  daysOf,
  mostDays,
  periodOf,
  rangeBounds,
  rangeError,
  filtersOf,
  usualFilters,
  type UsageChoice,
} from "./usage-choice.ts";

const now = Date.parse("2026-03-10T14:25:00Z");
const read = (address: string) => choiceOf(filtersIn(new URLSearchParams(address), usualFilters), now);
const searchOf = (choice: UsageChoice) => withFilters(new URLSearchParams(), usualFilters, filtersOf(choice));

describe("the usage page's address", () => {
  it("says nothing when everything is as usual", () => {
    const usual: UsageChoice = { period: "24h", key: "", model: "" };
    expect(read("")).toEqual(usual);
    expect(searchOf(usual).toString()).toBe("");
  });

  it.each<[string, UsageChoice]>([
    ["period=7d", { period: "7d", key: "", model: "" }],
    ["period=90d&key=k1&model=omega", { period: "90d", key: "k1", model: "omega" }],
    [
      "from=2025-12-01&to=2026-01-31",
      { period: { from: "2025-12-01", to: "2026-01-31" }, key: "", model: "" },
    ],
  ])("keeps %s", (address, choice) => {
    expect(read(address)).toEqual(choice);
    expect(searchOf(choice).toString()).toBe(address);
  });

  it.each([
    "period=1y",
    "model=unknown",
    "from=2026-01-01",
    "from=2026-02-30&to=2026-03-01",
    "from=2026-03-05&to=2026-03-01",
    "from=2026-03-01&to=2026-03-11",
    "from=2020-01-01&to=2020-02-01",
    "from=yesterday&to=today",
  ])("takes %s for the usual choice", (address) => {
    expect(read(address)).toEqual({ period: "24h", key: "", model: "" });
  });
});

describe("days of one's own", () => {
  it("reach back over all the days that are kept, and no further", () => {
    const { min, max } = rangeBounds(now);
    expect(max).toBe("2026-03-10");
    expect(rangeError({ from: min, to: max }, now)).toBeNull();
    const { from, to, step } = periodOf({ from: min, to: max }, now);
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(mostDays);
    expect(step).toBe("day");
    const dayBefore = new Date(Date.parse(min) - 86_400_000).toISOString().slice(0, 10);
    expect(rangeError({ from: dayBefore, to: max }, now)).toMatch(/400 days/);
  });

  it("include the last one, and are drawn by the hour up to a week", () => {
    expect(periodOf({ from: "2026-03-01", to: "2026-03-01" }, now)).toEqual({
      from: "2026-03-01T00:00:00.000Z",
      to: "2026-03-02T00:00:00.000Z",
      step: "hour",
    });
    expect(periodOf({ from: "2026-03-01", to: "2026-03-07" }, now).step).toBe("hour");
    expect(periodOf({ from: "2026-03-01", to: "2026-03-08" }, now).step).toBe("day");
  });

  it("begin with those of the period that was shown", () => {
    expect(daysOf("7d", now)).toEqual({ from: "2026-03-03", to: "2026-03-10" });
  });
});
