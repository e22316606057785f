/**
 * Several prompts of one request, run one after the other in the one slot that it has. Their choices are numbered on,
 * and their usages become one.
 */
import type { Usage } from "../chat/reply.js";
import type { Engine, GenerationEvent, PreparedGeneration } from "./engine-port.js";

export async function* generateInTurn(
  engine: Pick<Engine, "generate">,
  prompts: readonly PreparedGeneration[],
  signal: AbortSignal,
): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
  const usages: Usage[] = [];
  let firstChoice = 0;
  for (const prepared of prompts) {
    for await (const events of engine.generate(prepared, signal)) {
      const numbered: GenerationEvent[] = [];
      for (const event of events) {
        if (event.type === "done") usages.push(event.usage);
        else numbered.push({ ...event, choice: firstChoice + event.choice });
      }
      if (numbered.length > 0) yield numbered;
    }
    firstChoice += prepared.generation.choices;
  }
  if (usages.length === prompts.length) yield [{ type: "done", usage: usages.reduce(sum) }];
}

const sum = (a: Usage, b: Usage): Usage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
});
