/**
 * Answers that are complete and that the client does not read. Node has no time limit for that: the connection
 * would stay open, with what is buffered for it, for as long as the client likes.
 *
 * From the end of an answer until the socket has taken it, the socket's own timer runs; it restarts whenever the
 * client has read something. Then Node sets it for an idle connection, unless another pipelined request is under
 * way: that answer may take its time, so the timer is stopped.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { PendingResponses } from "./pending-responses.js";

export function writeTimeout(pending: PendingResponses, stallMs: number) {
  return (socket: Socket, response: ServerResponse): void => {
    response.on("prefinish", () => socket.setTimeout(stallMs));
    response.on("finish", () => {
      // Node has handed the socket to the next answer already. One that was complete before has set the timer.
      const next = pending.after(socket, response);
      if (next !== undefined && !next.writableEnded) socket.setTimeout(0);
    });
  };
}
