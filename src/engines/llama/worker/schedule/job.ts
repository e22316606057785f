/** What the batcher is given to do, and what it reports of it. */
import type { FinishReason, ReplyLogprob } from "../../../../protocol/chat.js";
import type { DrawOptions } from "../reply/draw.js";
import type { Reply } from "../reply/reply.js";

export interface Choice {
  drawing: DrawOptions;
  reply: Reply;
}

export interface Job {
  id: number;
  /** Whose prompt it is. */
  accountId: string;
  /** At least one token. */
  prompt: Uint32Array;
  /** At least one. More than there are sequences fail. */
  choices: readonly Choice[];
}

export interface Progress {
  id: number;
  choice: number;
  /** What a new token added to the reply, possibly nothing yet; null while the prompt is read. */
  text: string | null;
  logprobs?: readonly ReplyLogprob[];
  /** Set with the choice's last text. */
  finishReason?: FinishReason;
}

export interface Ending {
  id: number;
  outcome:
    | { type: "finished"; completionTokens: number; cachedTokens: number }
    | { type: "aborted" }
    | { type: "failed" }
    /** Following the grammar took more time than a choice may. */
    | { type: "too_slow" };
}

export interface StepReport {
  /** Sequences in use after the step. */
  active: number;
  progress: Progress[];
  endings: Ending[];
}
