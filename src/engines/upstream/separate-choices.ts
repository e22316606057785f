/**
 * Several choices from an engine that returns one per request: as many requests, read concurrently. Each run numbers
 * its choice 0 and ends with its own usage; here the choices get their numbers and the usages become one, in which
 * the prompt counts once.
 */
import type { Usage } from "../../core/chat/reply.js";
import type { GenerationEvent } from "../../core/serving/engine-port.js";

type Events = AsyncGenerator<readonly GenerationEvent[], void, undefined>;

interface Next {
  run: Events;
  choice: number;
  result: IteratorResult<readonly GenerationEvent[], void>;
}

/** `start` begins the run of a choice, which ends when the signal it is given aborts. */
export async function* joinChoices(
  choices: number,
  signal: AbortSignal,
  start: (choice: number, signal: AbortSignal) => Events,
): Events {
  // A run that waits for its engine notices neither `return()` nor that another failed, but it notices this.
  const stopping = new AbortController();
  const each = AbortSignal.any([signal, stopping.signal]);
  const runs = Array.from({ length: choices }, (_, choice) => start(choice, each));
  const next = (run: Events, choice: number): Promise<Next> => {
    const read = run.next().then((result) => ({ run, choice, result }));
    // The reader may be gone by the time a run fails: its error is then ignored.
    read.catch(() => undefined);
    return read;
  };
  const pending = new Map(runs.map((run, choice) => [choice, next(run, choice)]));
  const usages: Usage[] = [];
  try {
    while (pending.size > 0) {
      const { run, choice, result } = await Promise.race(pending.values());
      if (result.done === true) {
        pending.delete(choice);
        continue;
      }
      pending.set(choice, next(run, choice));
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
    // A failure ends the other runs; their remaining output is discarded.
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
