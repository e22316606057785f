/**
 * The embedding model that comes with Sotto, as what answers for a model: prepared and loaded at the first request,
 * and unloaded when it is idle, so that a start costs nothing.
 */
import { join, resolve } from "node:path";
import { usualSequences } from "../adapters/kv-cache.js";
import type { Config } from "../config.js";
import type { Engine } from "../core/serving/engine-port.js";
import type { EngineSource } from "../engines/fleet.js";
import { LazyEngine, type LazyEngineOptions } from "../engines/lazy-engine.js";
import {
  embeddingStarterFile,
  ensureEmbeddingStarter,
} from "../models/embedding-starter/embedding-starter.js";
import { starterMirror } from "../models/starter-mirror.js";

const contextTokens = 512;
/** While no setting says how long idle models stay loaded. */
const usualIdleMinutes = 10;

export function embeddingStarterSource(
  { service, downloads, engine: { idleUnloadMinutes, loadTimeoutMs }, limits }: Config,
  parts: Pick<LazyEngineOptions, "clock" | "onProblem">,
  start: (path: string) => Engine,
): EngineSource {
  const dataDir = resolve(service.dataDir);
  const fetch = starterMirror(downloads.starterSource);
  return {
    key: "embedding-starter",
    weights: join(dataDir, "models", embeddingStarterFile),
    start: () => ({
      isOnDemand: true,
      ready: async () => undefined,
      engine: new LazyEngine({
        build: async () => start(await ensureEmbeddingStarter(dataDir, undefined, { fetch })),
        asleep: {
          serving: embeddingStarterFile,
          contextTokens,
          defaultMaxTokens: 0,
          follows: { jsonSchema: false, logprobs: false, tools: false, reasoning: false, tasks: ["embed"] },
          capacity: usualSequences,
        },
        idleMs: (idleUnloadMinutes > 0 ? idleUnloadMinutes : usualIdleMinutes) * 60_000,
        waitMs: loadTimeoutMs,
        maxWaiting: limits.queueLength,
        ...parts,
      }),
    }),
  };
}
