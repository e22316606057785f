import { describe, expect, it } from "vitest";
import { momentText, rangeText } from "./moments.ts";

const noon = new Date("2026-11-17T12:30:00Z");
const later = (hours: number) => new Date(noon.getTime() + hours * 60 * 60_000);
const formatOf = (locale: string) =>
  new Intl.DateTimeFormat(locale, {
    ...{ year: "numeric", month: "short", day: "numeric", timeZone: "UTC" },
    ...{ hour: "numeric", minute: "2-digit", timeZoneName: "short" },
  });
const plain = (text: string) => text.replaceAll(/\s/g, " ");
/** Where a line may end. */
const pieces = (text: string) => text.split(/[^\S\u00a0\u202f]/);

describe("a moment", () => {
  it.each([
    ["en-US", ["Nov 17, 2026,", "12:30 PM UTC"]],
    ["de-DE", ["17. Nov. 2026,", "12:30 UTC"]],
    // The time comes first, and the month's name has a space.
    ["vi-VN", ["12:30 UTC", "17 thg 11, 2026"]],
  ])("breaks between the day and the time alone, in %s", (locale, expected) => {
    const text = momentText(formatOf(locale), noon);
    expect(plain(text)).toBe(plain(formatOf(locale).format(noon)));
    expect(pieces(text).map(plain)).toEqual(expected);
  });

  it("and another of its day keep their times together; one of another day may go to the next line", () => {
    const format = formatOf("en-US");
    expect(pieces(rangeText(format, noon, later(1)))).toHaveLength(2);
    expect(pieces(rangeText(format, noon, later(30))).length).toBeGreaterThan(3);
  });
});
