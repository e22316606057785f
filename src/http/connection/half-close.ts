/**
 * Clients that end their side of the connection once their request is sent, and still want the answer: old ones
 * and simple ones (`printf … | nc -N`), which speak HTTP/1.0. Nothing on the wire tells that from a client that
 * hangs up, and a client that hangs up must end its generation at once; what differs is the moment. Such an end
 * comes with the request, a hang-up comes later. So it counts as the end of the request for `graceMs` after that
 * has arrived, in HTTP/1.0 only; any other is a hang-up.
 *
 * One who hangs up that early on a reply that is not streamed has it generated for nobody.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../core/ports.js";

const graceMs = 1_000;

/** When each request under way on a socket had arrived, as far as it was read; null for one that cannot half-close. */
type Arrivals = Map<ServerResponse, number | null>;

export function answerHalfClosed(
  server: Server,
  clock: Clock,
): (message: IncomingMessage, response: ServerResponse) => void {
  const sockets = new WeakMap<Socket, Arrivals>();
  // Node's own switch, which leaves the socket open until the last answer; it has no type.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", (socket: Socket) => {
    socket.on("end", () => {
      const oldest = clock.monotonicMs() - graceMs;
      const arrivals = [...(sockets.get(socket)?.values() ?? [])];
      const hungUp = arrivals.some((arrivedMs) => arrivedMs === null || arrivedMs < oldest);
      if (hungUp) socket.end();
    });
  });
  return (message, response) => {
    const arrivals = sockets.get(message.socket) ?? new Map<ServerResponse, number | null>();
    sockets.set(message.socket, arrivals);
    const note = () => {
      arrivals.set(response, message.httpVersion === "1.0" ? clock.monotonicMs() : null);
    };
    note();
    message.once("end", () => {
      if (arrivals.has(response)) note();
    });
    response.once("close", () => arrivals.delete(response));
  };
}
