/**
 * Overwrites the buffer into which Node reads what HTTP servers receive. A process has one for all of its connections,
 * keeps it as long as it lives, and never clears it: what arrived last stays there until something as long arrives. So
 * something as long is sent, over a socket of this process that is closed at once.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { connect } from "node:net";

/** Node's buffer has 64 KiB. Twice as many bytes fill it from its beginning to its end. */
const bodyBytes = 128 * 1024;
const limitMs = 2_000;
const head = `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${bodyBytes}\r\n\r\n`;

/** Resolves also where it was not possible. Only Linux has sockets with a name that is in no file system. */
export async function clearParserBuffer(): Promise<void> {
  if (process.platform !== "linux") return;
  const name = `\0sotto-${randomUUID()}`;
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise<void>((resolve) => {
    server
      .on("error", () => resolve())
      // By this process itself where it is one of several: the one that started them would listen otherwise.
      .listen({ path: name, exclusive: true }, () => {
        const socket = connect(name, () =>
          socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bodyBytes)])),
        );
        socket.setTimeout(limitMs, () => socket.destroy());
        // An error is followed by the close.
        socket
          .on("error", () => undefined)
          .on("close", () => resolve())
          .resume();
      });
  });
  server.close();
}
