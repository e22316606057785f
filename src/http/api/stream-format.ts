/** How the events of a streamed reply are written: each API has one of these. */
import type { StreamFormatName, WireEvent } from "../../protocol/dialect.js";

export interface StreamFormat {
  contentType: string;
  textOf(events: readonly WireEvent[]): string;
  /** Sent while there is nothing else; every client ignores it. */
  keepAlive: string;
}

const serverSentEvents: StreamFormat = {
  contentType: "text/event-stream; charset=utf-8",
  textOf: (events) => {
    let text = "";
    for (const { name, data } of events) {
      if (name !== undefined) text += `event: ${name}\n`;
      text += `data: ${jsonOf(data)}\n\n`;
    }
    return text;
  },
  keepAlive: ": keep-alive\n\n",
};

/** A JSON value to a line. An empty line breaks clients; white space before the next value does not. */
const jsonLines: StreamFormat = {
  contentType: "application/x-ndjson",
  textOf: (events) => events.map(({ data }) => `${jsonOf(data)}\n`).join(""),
  keepAlive: " ",
};

const jsonOf = (data: WireEvent["data"]): string => (typeof data === "string" ? data : JSON.stringify(data));

export const streamFormats: Record<StreamFormatName, StreamFormat> = {
  "server-sent-events": serverSentEvents,
  "json-lines": jsonLines,
};
