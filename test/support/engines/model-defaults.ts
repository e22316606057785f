import type { ModelDefaults } from "../../../src/core/serving/model-defaults.js";

/** For engines in tests: every default does something, so that a test would notice one that is not applied. */
export const testDefaults: ModelDefaults = {
  systemPrompt: "",
  maxTokens: 256,
  repeatPenalty: 1.15,
  minP: 0.2,
};
