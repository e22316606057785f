/**
 * Several choices from an engine that gives one at a time: as many requests, read as they come. Each run calls
 * its choice 0 and ends with a usage of its own; here the choices get their numbers and the usages become one,
 * in which the prompt counts once.
 */
import type { GenerationEvent, Usage } from "../../core/ports.js";

type Events = AsyncGenerator<readonly GenerationEvent[], void, undefined>;

interface Arrival {
  choice: number;
  result: IteratorResult<readonly GenerationEvent[], void>;
}

/** `start` begins the run of a choice, which ends when the signal it is given aborts. */
export async function* joinChoices(
  choices: number,
  signal: AbortSignal,
  start: (choice: number, signal: AbortSignal) => Events,
): Events {
  // A run that waits for its engine hears neither `return()` nor that another failed, but it hears this.
  const stopping = new AbortController();
  const each = AbortSignal.any([signal, stopping.signal]);
  const runs = Array.from({ length: choices }, (_, choice) => start(choice, each));
  const ask = async (choice: number): Promise<Arrival> => {
    const run = runs[choice];
    return { choice, result: run === undefined ? { done: true, value: undefined } : await run.next() };
  };
  const next = (choice: number): Promise<Arrival> => {
    const arrival = ask(choice);
    // Whoever reads the choices may have left without a word: a run that fails then fails for nobody.
    arrival.catch(() => undefined);
    return arrival;
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
      const events: GenerationEvent[] = [];
      for (const event of result.value) {
        if (event.type === "done") usages.push(event.usage);
        else events.push({ ...event, choice });
      }
      if (events.length > 0) yield events;
    }
    yield [{ type: "done", usage: total(usages) }];
  } finally {
    stopping.abort();
    // One that failed ends the others; what they still say is nobody's.
    for (const run of runs) run.return().catch(() => undefined);
  }
}

function total(usages: readonly Usage[]): Usage {
  const [first] = usages;
  return {
    promptTokens: first?.promptTokens ?? 0,
    completionTokens: usages.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
    cachedTokens: first?.cachedTokens ?? 0,
    reasoningTokens: usages.reduce((sum, { reasoningTokens }) => sum + reasoningTokens, 0),
  };
}
