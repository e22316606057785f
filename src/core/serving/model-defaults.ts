/** What a model does where a request says nothing. */
export interface ModelDefaults {
  /** Used when a request has no system message; empty for none. */
  systemPrompt: string;
  /** Most tokens to generate when a request has no `max_tokens`. */
  maxTokens: number;
  /** Divides the likelihood of tokens that the reply already has; 1 for none. */
  repeatPenalty: number;
  /** Drops tokens less likely than this share of the likeliest one; 0 drops none. */
  minP: number;
}

/**
 * For weights and engines that nothing is known of. A good model wants no crutches: no words put before the user's,
 * no penalty, and only the tail of the distribution cut, as llama.cpp does by default.
 */
export const plainDefaults: ModelDefaults = {
  systemPrompt: "",
  maxTokens: 4096,
  repeatPenalty: 1,
  minP: 0.05,
};
