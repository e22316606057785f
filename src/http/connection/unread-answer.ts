/**
 * Answers that are complete and that the client does not take. Node gives a connection no limit for that: it
 * would stay, with what is buffered for it, for as long as the client likes.
 *
 * From the end of an answer until the socket has taken it, the socket's own timer runs, which starts anew
 * whenever the client has taken something. Then Node sets it for an idle connection, unless another pipelined
 * request is under way: its answer may take its time, so the timer is stopped.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Connection {
  /** Requests without the end of their answer. */
  underWay: number;
  /** Answers that are complete and not taken. */
  unread: number;
}

export function letGoOfUnread(stallMs: number): (socket: Socket, response: ServerResponse) => void {
  const connections = new WeakMap<Socket, Connection>();
  return (socket, response) => {
    const connection = connections.get(socket) ?? { underWay: 0, unread: 0 };
    connections.set(socket, connection);
    connection.underWay += 1;
    response.once("prefinish", () => {
      connection.underWay -= 1;
      connection.unread += 1;
      socket.setTimeout(stallMs);
    });
    response.once("finish", () => {
      connection.unread -= 1;
      // Node has handed the socket to the next answer already, which may have been complete before.
      if (connection.unread === 0 && connection.underWay > 0) socket.setTimeout(0);
    });
  };
}
