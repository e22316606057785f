/** How an engine on the network is set up. */
import type { ModelConfig } from "../../config.js";
import type { ModelId } from "../../protocol/models.js";
import type { ProfileName } from "./profiles.js";

/** As an operator writes it, in a setting or in the configuration file. */
export interface UpstreamSource {
  /** With or without `/v1` at its end. */
  url: string;
  profile: ProfileName;
  /** The engine's name for the model; by default the only one it has, or ours where it has that. */
  name?: string | undefined;
  key?: string | undefined;
  /** Its part of the work of a pool. */
  weight?: number | undefined;
  /** The operator accepts that an engine without isolation shares its prompt cache between accounts. */
  acceptSharedCache?: boolean | undefined;
  /** The engine may be outside this machine and private networks. */
  allowPublic?: boolean | undefined;
  maxConcurrent?: number | undefined;
  /** Where the engine does not tell. */
  contextTokens?: number | undefined;
  timeouts?: Partial<UpstreamTimeouts> | undefined;
}

export interface UpstreamTimeouts {
  connectMs: number;
  firstTokenMs: number;
  nextTokenMs: number;
  /** Counting a prompt; after it the count is estimated. */
  countMs: number;
  /** One question about the engine's health. */
  healthMs: number;
  /** Between two such questions. */
  healthIntervalMs: number;
}

export const defaultTimeouts: UpstreamTimeouts = {
  connectMs: 3_000,
  firstTokenMs: 60_000,
  nextTokenMs: 30_000,
  countMs: 400,
  healthMs: 3_000,
  healthIntervalMs: 5_000,
};

export interface UpstreamOptions extends UpstreamSource {
  /** The models it answers for. */
  models: Readonly<Partial<Record<ModelId, Pick<ModelConfig, "systemPrompt" | "maxTokens">>>>;
  /** See cache-salt.ts. */
  cacheSaltSecret: string;
}
