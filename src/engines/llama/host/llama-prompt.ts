import type { PreparedGeneration } from "../../../core/serving/engine-port.js";
import type { GrammarPlan, ParsingPlan } from "../messages.js";

/** The engine's form of a prompt. A class, so that `generate` knows its own. */
export class LlamaPrompt {
  constructor(
    readonly tokens: Uint32Array,
    readonly grammar: GrammarPlan | undefined,
    readonly parsing: ParsingPlan | undefined,
    /** How often it may be run again when the child dies before the first token. */
    readonly retries: number,
  ) {}
}

export function promptOf({ prompt }: PreparedGeneration): LlamaPrompt {
  if (prompt instanceof LlamaPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}
