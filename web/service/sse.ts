/**
 * Reads server-sent events from the body of a response, by the rules of the HTML standard: lines end in LF,
 * CR or CRLF, an empty line ends an event, several `data` lines are one text, lines that begin with a colon
 * are comments. Chunks may end anywhere, in the middle of a character or between CR and LF.
 *
 * Only `data` is handed on: our streams use neither names nor ids. An event that the connection cut off
 * before its empty line is dropped, as the standard says; the caller knows by its own end mark that something
 * is missing.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = eventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Whoever stops reading early gives the connection back. It may have failed already.
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes the text piece by piece and gives the data of each event that became complete with it. */
export function eventParser(): (text: string) => string[] {
  let partialLine = "";
  let endedInReturn = false;
  let data: string[] = [];

  return (text) => {
    if (text === "") return [];
    const fresh = endedInReturn && text.startsWith("\n") ? text.slice(1) : text;
    endedInReturn = text.endsWith("\r");
    const lines = (partialLine + fresh).split(/\r\n|\n|\r/);
    partialLine = lines.pop() ?? "";

    const events: string[] = [];
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) events.push(data.join("\n"));
        data = [];
      } else if (line === "data") {
        data.push("");
      } else if (line.startsWith("data:")) {
        data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
    }
    return events;
  };
}
