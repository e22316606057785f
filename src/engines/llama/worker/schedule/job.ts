/** What the batcher is given to do. */
import type { TokenSamplerOptions } from "../reply/token-sampler.js";
import type { Reply } from "../reply/reply.js";
import type { Guess } from "./speculation.js";

export interface Choice {
  sampling: TokenSamplerOptions;
  reply: Reply;
  /** The tokens that its grammar leaves no choice about, probably. */
  forced?: Guess | undefined;
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
