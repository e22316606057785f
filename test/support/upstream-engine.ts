import { loadConfig } from "../../src/config.js";
import type { UpstreamEngine, UpstreamEngineParts } from "../../src/engines/upstream/engine.js";
import { createUpstream } from "../../src/engines/upstream/create.js";
import type { UpstreamOptions } from "../../src/engines/upstream/options.js";

const { models } = loadConfig({ env: {} });

export const cacheSaltSecret = "a secret of the tests, long enough";

/** An engine on this machine that has answered once. */
export async function connectUpstream(
  options: Partial<UpstreamOptions> & { url: string },
  parts: UpstreamEngineParts = {},
): Promise<UpstreamEngine> {
  const engine = await createUpstream(
    {
      profile: "vllm",
      models: { omega: { ...models.omega, systemPrompt: "" } },
      cacheSaltSecret,
      ...options,
      timeouts: { healthIntervalMs: 200, ...options.timeouts },
    },
    parts,
  );
  await engine.ready(AbortSignal.timeout(10_000));
  return engine;
}
