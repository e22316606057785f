/** How an engine on the network is set up. */
import type { ModelDefaults } from "../../core/serving/model-defaults.js";
import type { UpstreamSource } from "../../protocol/engine-member.js";
import type { ModelId } from "../../core/models.js";

export type UpstreamTimeouts = Readonly<Record<keyof NonNullable<UpstreamSource["timeouts"]>, number>>;

const defaultTimeouts: UpstreamTimeouts = {
  connectMs: 3_000,
  firstTokenMs: 60_000,
  nextTokenMs: 30_000,
  countMs: 400,
  healthMs: 3_000,
  healthIntervalMs: 5_000,
};

/** The operator's where given. */
export function timeoutsOf({ timeouts = {} }: Pick<UpstreamSource, "timeouts">): UpstreamTimeouts {
  const given = Object.entries(timeouts).filter(([, ms]) => ms !== undefined);
  return { ...defaultTimeouts, ...Object.fromEntries(given) };
}

export interface UpstreamOptions extends UpstreamSource {
  models: Readonly<Partial<Record<ModelId, Pick<ModelDefaults, "systemPrompt" | "maxTokens">>>>;
  /** See cache-salt.ts. */
  cacheSaltSecret: string;
  /** That share the engine's places; by default this one alone. */
  processes?: number;
}
