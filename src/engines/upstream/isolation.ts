/** Only engines that isolate accounts get conversations, unless the operator accepts that one does not. */
import type { UpstreamSource } from "../../protocol/engine-member.js";
import { profiles } from "./profiles.js";

/** A sentence for the operator; null where it does, or was accepted. */
export function whyNotIsolated({ profile, acceptSharedCache }: UpstreamSource): string | null {
  const { cache, label } = profiles[profile];
  if (cache.type !== "none" || acceptSharedCache === true) return null;
  return (
    `An engine of the kind '${label}' cannot keep the prompt caches of accounts apart: one account could infer ` +
    `from the time to the first token what another has asked. Use vLLM, SGLang or llama-server, or accept it ` +
    `(--accept-shared-cache, or acceptSharedCache: true).`
  );
}
