import { expect, it } from "vitest";
import { duration } from "./rate-headers.js";

it.each([
  [0, "0ms"],
  [0.4, "1ms"],
  [120, "120ms"],
  [999.5, "1s"],
  [1000, "1s"],
  [1001, "2s"],
  [58_200, "59s"],
  [60_000, "1m0s"],
  [125_000, "2m5s"],
  [3_600_000, "1h0m0s"],
  [93_605_000, "26h0m5s"],
])("%d ms are written as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
