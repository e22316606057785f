/** What the batcher is given to do. */
import type { TokenSamplerOptions } from "../reply/token-sampler.js";
import type { Reply } from "../reply/reply.js";

export interface Choice {
  sampling: TokenSamplerOptions;
  reply: Reply;
}

export interface Job {
  id: number;
  accountId: string;
  /** At least one token. */
  prompt: Uint32Array;
  /** At least one. More than there are sequences fail. */
  choices: readonly Choice[];
  /** Its account was deleted meanwhile: nothing of what it computes is kept. */
  isForgotten?: boolean;
}
