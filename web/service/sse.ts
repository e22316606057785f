/**
 * The data of each server-sent event in the body of a response. Names and ids are left out: our streams use neither.
 * An event that was cut off before its empty line is dropped, as the HTML standard requires; callers notice by the
 * missing end marker.
 */
import { createParser } from "eventsource-parser";

/** Far larger than our events: bounds the memory of one that never ends. */
const maxBufferSize = 1024 * 1024;

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let complete: string[] = [];
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ data }) => complete.push(data),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* complete;
      complete = [];
    }
  } finally {
    // Releases the connection when reading stops early. It may have failed already.
    await reader.cancel().catch(() => undefined);
  }
}
