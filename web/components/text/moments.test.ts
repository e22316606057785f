import { describe, expect, it } from "vitest";
import { momentPieces, rangePieces } from "./moments.ts";

const noon = new Date("2026-11-17T12:30:00Z");
const later = (hours: number) => new Date(noon.getTime() + hours * 60 * 60_000);
const formatOf = (locale: string) =>
  new Intl.DateTimeFormat(locale, {
    ...{ year: "numeric", month: "short", day: "numeric", timeZone: "UTC" },
    ...{ hour: "numeric", minute: "2-digit", timeZoneName: "short" },
  });
const plain = (text: string) => text.replaceAll(/\s/g, " ");

describe("a moment", () => {
  it.each([
    ["en-US", ["Nov 17, 2026,", "12:30 PM UTC"]],
    ["de-DE", ["17. Nov. 2026,", "12:30 UTC"]],
    // The time comes first, and the month's name has a space.
    ["vi-VN", ["12:30 UTC", "17 thg 11, 2026"]],
  ])("consists of its day and its time, in %s", (locale, expected) => {
    const pieces = momentPieces(formatOf(locale), noon);
    expect(pieces).toEqual(expected);
    expect(pieces.join(" ")).toBe(plain(formatOf(locale).format(noon)));
  });

  it("and another of its day keep their times together; one of another day may go to the next line", () => {
    const format = formatOf("en-US");
    expect(rangePieces(format, noon, later(1))).toEqual(["Nov 17, 2026,", "12:30 – 1:30 PM UTC"]);
    const pieces = rangePieces(format, noon, later(30));
    expect(pieces).toEqual(["Nov 17, 2026,", "12:30 PM UTC", "–", "Nov 18, 2026,", "6:30 PM UTC"]);
  });
});
