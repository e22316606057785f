/**
 * An arrival is what an engine yields: one event, or several that arrived together. Every layer between an engine
 * and a client then costs time for each arrival rather than for each event: under load one packet has several fragments.
 */
const isSeveral = <Event extends object>(arrival: Event | readonly Event[]): arrival is readonly Event[] =>
  Array.isArray(arrival);

export const eventsOf = <Event extends object>(arrival: Event | readonly Event[]): readonly Event[] =>
  isSeveral(arrival) ? arrival : [arrival];

/** One by one. */
export async function* eachOf<Event extends object>(
  arrivals: AsyncIterable<Event | readonly Event[]>,
): AsyncGenerator<Event, void, undefined> {
  for await (const arrival of arrivals) yield* eventsOf(arrival);
}
