/**
 * Several choices from an engine that gives one at a time: as many requests, read as they come. Each run calls
 * its choice 0 and ends with a usage of its own; here the choices get their numbers and the usages become one,
 * in which the prompt counts once.
 */
import type { GenerationEvent, Usage } from "../../core/ports.js";

type Events = AsyncGenerator<GenerationEvent, void, undefined>;

interface Arrival {
  choice: number;
  result: IteratorResult<GenerationEvent, void>;
}

export async function* joinChoices(runs: readonly Events[]): Events {
  const next = async (choice: number): Promise<Arrival> => {
    const run = runs[choice];
    return { choice, result: run === undefined ? { done: true, value: undefined } : await run.next() };
  };
  const pending = new Map(runs.map((_, choice) => [choice, next(choice)]));
  const usages: Usage[] = [];
  try {
    while (pending.size > 0) {
      const { choice, result } = await Promise.race(pending.values());
      if (result.done === true) {
        pending.delete(choice);
        continue;
      }
      pending.set(choice, next(choice));
      if (result.value.type === "done") usages.push(result.value.usage);
      else yield { ...result.value, choice };
    }
    yield { type: "done", usage: total(usages) };
  } finally {
    // One that failed ends the others; what they still say is nobody's.
    for (const waiting of pending.values()) waiting.catch(() => undefined);
    for (const run of runs) run.return().catch(() => undefined);
  }
}

function total(usages: readonly Usage[]): Usage {
  const [first] = usages;
  return {
    promptTokens: first?.promptTokens ?? 0,
    completionTokens: usages.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
    cachedTokens: first?.cachedTokens ?? 0,
  };
}
