import { UpstreamEngine, type UpstreamEngineParts } from "../../../src/engines/upstream/upstream-engine.js";
import type { UpstreamOptions } from "../../../src/engines/upstream/options.js";
import { eventually } from "../eventually.js";
import { testDefaults } from "./model-defaults.js";

export const cacheSaltSecret = "a secret of the tests, long enough";

/** An engine on this machine that has answered once. */
export async function connectUpstream(
  options: Partial<UpstreamOptions> & { url: string },
  parts: UpstreamEngineParts = {},
): Promise<UpstreamEngine> {
  const engine = new UpstreamEngine(
    {
      profile: "vllm",
      models: { omega: testDefaults },
      cacheSaltSecret,
      ...options,
      // A busy machine must not make an engine look slow: these two have tests of their own.
      timeouts: { healthIntervalMs: 200, healthMs: 10_000, countMs: 10_000, ...options.timeouts },
    },
    parts,
  );
  await eventually(() => engine.status().state === "ready");
  return engine;
}
