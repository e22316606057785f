import { expect, it } from "vitest";
import { suggestFor } from "../../models/choice/best-model.js";
import { starterNotice } from "./starter-notice.js";

const machine = (gib: number, bytesPerSecond: number | null) => ({
  memory: { totalBytes: gib * 2 ** 30, onDemand: false },
  configured: {},
  bytesPerSecond,
});

it("names the best model that fits the machine and the command that gets it, in one line", () => {
  expect(starterNotice(suggestFor("omega", machine(7, 25e9)))).toBe(
    "The starter is a demonstration model. Qwen3 4B Instruct 2507 (2.50 GB, about 9.7 tokens a second here) fits this machine: sotto models use omega qwen3-4b",
  );
  expect(starterNotice(suggestFor("omega", machine(7, 1e9)))).toBe(
    "The starter is a demonstration model. No other reaches 8 tokens a second on this machine; the fastest is Gemma 3 1B Instruct (806 MB, about 1.2 tokens a second here): sotto models use omega gemma-3-1b",
  );
});

it("points to the catalogue when none fits", () => {
  expect(starterNotice(suggestFor("prism", machine(0.5, null)))).toBe(
    "The starter is a demonstration model. Others to choose from: sotto models catalog",
  );
});
