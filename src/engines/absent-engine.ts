/** Stands where the operator does not offer a model: requests for it are refused before they get here. */
import { ServiceError } from "../core/errors.js";
import type { EngineSource } from "./fleet.js";
import { type Engine, type EngineStatus, nothingKeptByEngine } from "../core/serving/engine-port.js";

const status: EngineStatus = {
  state: "off",
  serving: "off",
  contextTokens: 0,
  defaultMaxTokens: 0,
  follows: { jsonSchema: false, logprobs: false, tools: false, reasoning: false, tasks: [] },
  capacity: 0,
  active: 0,
  restarts: 0,
};

const refuse = (): never => {
  throw new ServiceError("model_not_found", { param: "model" });
};

const absentEngine: Engine = {
  prepare: async () => refuse(),
  generate: refuse,
  status: () => status,
  forgetAccount: () => undefined,
  keptOf: async () => nothingKeptByEngine,
  close: async () => undefined,
};

export const noSource: EngineSource = {
  key: "off",
  start: () => ({ engine: absentEngine, ready: async () => undefined }),
};
