import { expect, it } from "vitest";
import { suggestFor } from "../../models/choice/best-model.js";
import { starterNotice } from "./starter-notice.js";

it("names the best model that fits the machine and the command that gets it, in one line", () => {
  expect(starterNotice(suggestFor("omega", { availableBytes: 7 * 2 ** 30 }))).toBe(
    "The starter is a demonstration model. Qwen3 4B Instruct 2507 (2.50 GB) fits this machine: sotto models use omega qwen3-4b",
  );
});

it("points to the catalogue when none fits", () => {
  expect(starterNotice(suggestFor("prism", { availableBytes: 2 ** 29 }))).toBe(
    "The starter is a demonstration model. Others to choose from: sotto models catalog",
  );
});
