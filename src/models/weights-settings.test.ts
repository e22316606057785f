import { describe, expect, it } from "vitest";
import { loadConfig } from "../config.js";
import { plainDefaults } from "../core/serving/model-defaults.js";
import { starterFileNames } from "./starter/starter.js";
import { defaultsOfWeights, modelDefaults } from "./weights-settings.js";

describe("what a model does where a request says nothing", () => {
  it.each(starterFileNames)("is what the starter needs for %s, wherever it lies", (name) => {
    const { minP, maxTokens, repeatPenalty } = defaultsOfWeights(`/anywhere/${name}`);
    expect(minP).toBeGreaterThan(plainDefaults.minP);
    expect(maxTokens).toBeLessThan(plainDefaults.maxTokens);
    expect(repeatPenalty).toBeGreaterThan(1);
  });

  it("handicaps no other weights", () => {
    expect(defaultsOfWeights("/models/Qwen3-8B-Q4_K_M.gguf")).toEqual({
      systemPrompt: "",
      maxTokens: 4096,
      repeatPenalty: 1,
      minP: 0.05,
    });
  });

  it("is what the operator says, setting by setting and model by model", () => {
    const { models } = loadConfig({
      env: {
        SOTTO_MODELS_OMEGA_SYSTEM_PROMPT: "",
        SOTTO_MODELS_OMEGA_MAX_TOKENS: "7",
        SOTTO_MODELS_PRISM_MIN_P: "0",
        SOTTO_MODELS_PRISM_REPEAT_PENALTY: "auto",
      },
    });
    const starter = defaultsOfWeights(starterFileNames[0] ?? "");
    const defaults = modelDefaults(models, starter);
    expect(defaults.omega).toEqual({ ...starter, systemPrompt: "", maxTokens: 7 });
    expect(defaults.prism).toEqual({ ...starter, minP: 0 });
    expect(defaults.lambda).toEqual(starter);
  });
});
