/**
 * What an engine generates, as it becomes known: one event, or several that came together. Every layer between an engine
 * and a client is paid for each arrival, not for each event: under load several fragments come in one packet.
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
