/**
 * Clients that end their side of the connection once their request is sent, and still want the answer: old ones
 * and simple ones (`printf … | nc -N`), which speak HTTP/1.0. Nothing on the wire tells that from a client that
 * hangs up, and a client that hangs up must end its generation at once; what differs is the moment. Such an end
 * comes with the request, a hang-up comes later. So it counts as the end of the request for `graceMs` after that
 * has arrived, in HTTP/1.0 only; any other is a hang-up.
 *
 * If a client hangs up that early on a reply that is not streamed, the reply is generated for nobody.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.js";
import type { PendingResponses } from "./pending-responses.js";

const graceMs = 1_000;

export function answerHalfClosed(
  server: Server,
  connected: "connection" | "secureConnection",
  pending: PendingResponses,
  clock: Clock,
): void {
  // Node's own switch, which leaves the socket open until the last answer; it has no type.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on(connected, (socket: Socket) => {
    socket.on("end", () => {
      const oldest = clock.monotonicMs() - graceMs;
      const hungUp = [...pending.on(socket)].some(
        ({ message, arrivedMs }) => message.httpVersion !== "1.0" || arrivedMs < oldest,
      );
      if (hungUp) socket.end();
    });
  });
}
