import { InvalidArgumentError } from "commander";
import { describe, expect, it } from "vitest";
import { parseDuration } from "./option-values.js";

describe("durations", () => {
  it.each([
    ["30d", 2_592_000_000],
    ["12h", 43_200_000],
    ["90m", 5_400_000],
    ["45s", 45_000],
    ["0d", 0],
    ["0", 0],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "30", "d", "-1d", "1.5h", "30 d", "1y", "30dd", "99999d", "9".repeat(400) + "d"])(
    "%j is refused",
    (text) => {
      expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
    },
  );
});
