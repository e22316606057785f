import { expect, it } from "vitest";
import { relativeTime } from "./time.tsx";

const now = Date.parse("2026-03-10T12:00:00Z");

it.each([
  ["just now", 3],
  ["45 seconds ago", 45],
  ["3 minutes ago", 3 * 60 + 20],
  ["in 2 hours", -2.4 * 3600],
  ["yesterday", 30 * 3600],
])("says %s", (words, secondsAgo) => {
  expect(relativeTime(now - secondsAgo * 1000, now)).toBe(words);
});

it("gives a date for what is more than a month away", () => {
  expect(relativeTime(now - 40 * 86_400_000, now)).toMatch(/2026/);
});
