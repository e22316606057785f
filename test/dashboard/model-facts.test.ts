import { afterEach, describe, expect, it } from "vitest";
import { recordSpeed } from "../../src/models/measured-speed.js";
import { starterFileNames } from "../../src/models/starter/starter.js";
import type { ModelFacts } from "../../src/protocol/dashboard/api.js";
import type { ModelSuggestion } from "../../src/protocol/dashboard/engines.js";
import {
  startDashboard,
  type TestDashboard,
  type TestDashboardOptions,
} from "../support/processes/dashboard-server.js";
import { textLike } from "../support/matchers.js";

let dashboard: TestDashboard;
afterEach(() => dashboard.close());

const start = async (options: TestDashboardOptions = {}) => {
  dashboard = await startDashboard(options);
};
const models = async () => (await dashboard.browser().get<{ models: ModelFacts[] }>("/api/models")).models;
const suggestion = async () => {
  const operator = await dashboard.setUp();
  const path = "/api/admin/model-suggestion";
  return (await operator.get<{ suggestion: ModelSuggestion | null }>(path)).suggestion;
};
const starter = `/data/models/${starterFileNames[0] ?? ""}`;

describe("the facts about a model", () => {
  it("is open to everyone, with the operator's line and the context", async () => {
    await start({ env: { SOTTO_MODELS_PRISM_DESCRIPTION: "Fast enough for a chat." } });
    const facts = { description: null, contextTokens: 1000, tools: true, vision: false, weights: null };
    expect(await models()).toEqual([
      { id: "omega", ...facts },
      { id: "prism", ...facts, description: "Fast enough for a chat." },
      { id: "lambda", ...facts },
    ]);
  });

  it("includes the weights' name, licence and measured speed, and never their path", async () => {
    const path = "/data/models/Qwen3-4B-Instruct-2507-Q4_K_M.gguf";
    await start({ engineWeights: path });
    const weights = { title: "Qwen3 4B Instruct 2507", licence: "Apache-2.0", isStarter: false };
    expect((await models())[0]?.weights).toEqual({ ...weights, tokensPerSecond: null });
    await recordSpeed(dashboard.app.store, path, { tokensPerSecond: 41.5, at: new Date(0) });
    expect((await models())[0]?.weights).toEqual({ ...weights, tokensPerSecond: 41.5 });
    expect(JSON.stringify(await models())).not.toContain("/data");
  });

  it("marks the starter as such", async () => {
    await start({ engineWeights: starter });
    expect((await models())[0]?.weights).toMatchObject({ isStarter: true, licence: "Apache-2.0" });
  });

  it("leaves a context out that is not known", async () => {
    await start();
    dashboard.engine.options.contextTokens = 0;
    expect((await models())[0]?.contextTokens).toBeNull();
  });
});

describe("what to use instead of the starter", () => {
  it("is for operators", async () => {
    await start({ engineWeights: starter });
    const user = await dashboard.signUp("ada@example.com");
    expect((await user.send("GET", "/api/admin/model-suggestion")).status).toBe(403);
    expect((await dashboard.browser().send("GET", "/api/admin/model-suggestion")).status).toBe(401);
  });

  it("comes with the command that gets it", async () => {
    await start({ engineWeights: starter });
    expect(await suggestion()).toMatchObject({
      model: "omega",
      command: textLike(/^sotto models (use omega [a-z0-9.-]+|catalog)$/),
    });
  });

  it("is nothing once another model answers", async () => {
    await start({ engineWeights: "/data/models/other.gguf" });
    expect(await suggestion()).toBeNull();
  });

  it("is for a model whose source the configuration leaves open", async () => {
    await start({ engineWeights: starter, env: { SOTTO_MODELS_OMEGA_WEIGHTS: "starter" } });
    expect(await suggestion()).toMatchObject({ model: "prism" });
  });
});
