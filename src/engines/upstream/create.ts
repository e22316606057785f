/** Sets up an engine on the network, or says why it must not be used. */
import { checkAddress, type Resolve } from "./address.js";
import { UpstreamEngine, type UpstreamEngineParts } from "./engine.js";
import type { UpstreamOptions, UpstreamSource } from "./options.js";
import { profiles } from "./profiles.js";

/** Thrown with a sentence for the operator. */
export class UpstreamRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UpstreamRefused";
  }
}

/**
 * The engine is not asked anything here: it may be started later. Rejects with `AddressFault` or
 * `UpstreamRefused`.
 */
export async function createUpstream(
  options: UpstreamOptions,
  parts: UpstreamEngineParts & { resolve?: Resolve } = {},
): Promise<UpstreamEngine> {
  requireIsolation(options);
  const { resolve } = parts;
  await checkAddress(options.url, {
    allowPublic: options.allowPublic,
    ...(resolve === undefined ? {} : { resolve }),
  });
  return new UpstreamEngine(options, parts);
}

export function requireIsolation({ profile, acceptSharedCache }: UpstreamSource): void {
  const { cache, label } = profiles[profile];
  if (cache.type !== "none" || acceptSharedCache === true) return;
  throw new UpstreamRefused(
    `An engine of the kind '${label}' cannot keep the prompt caches of accounts apart: one account could tell, ` +
      `by how fast a reply begins, what another has asked. Use vLLM, SGLang or llama-server, or accept it ` +
      `(--accept-shared-cache, or acceptSharedCache: true).`,
  );
}
