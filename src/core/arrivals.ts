/**
 * What an engine generates, as it becomes known: one event, or several that came together. Every layer between an engine
 * and a client is paid for each arrival, not for each event: under load several fragments come in one packet.
 */
import type { Arrival, Engine, GenerationEvent, PreparedGeneration } from "./ports.js";

const isSeveral = (arrival: Arrival): arrival is readonly GenerationEvent[] => Array.isArray(arrival);

export const eventsOf = (arrival: Arrival): readonly GenerationEvent[] =>
  isSeveral(arrival) ? arrival : [arrival];

/** Of an engine that hands over several events at once, and of one that does not. */
export const arrivalsOf = (
  engine: Engine,
  prepared: PreparedGeneration,
  signal: AbortSignal,
): AsyncIterable<Arrival> => engine.arrivals?.(prepared, signal) ?? engine.generate(prepared, signal);

/** One by one. */
export async function* eachOf(
  arrivals: AsyncIterable<Arrival>,
): AsyncGenerator<GenerationEvent, void, undefined> {
  for await (const arrival of arrivals) yield* eventsOf(arrival);
}
