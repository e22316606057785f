/** Events that may have arrived together, one by one. */
export async function* eachOf<Event>(
  batches: AsyncIterable<readonly Event[]>,
): AsyncGenerator<Event, void, undefined> {
  for await (const batch of batches) yield* batch;
}
