/**
 * Node's HTTP server with the answers it would give by itself taken over, since some have statuses or bodies
 * that this API does not have: 417 for an unknown `Expect`, 400 without a body for a missing `Host`, a bare
 * close for `CONNECT`. A client that waits for `100 Continue` does not get it until body.ts decides.
 */
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { PendingResponses } from "./pending-responses.js";
import type { BadHttp } from "./bad-http.js";
import { Connections } from "./connections.js";
import { answerHalfClosed } from "./half-close.js";
import type { HttpParts, Timeouts } from "../parts.js";
import { defaultConnectionLimit } from "./connection-limit.js";
import { writeTimeout } from "./write-timeout.js";

export function createNodeServer(
  handle: RequestListener,
  parts: HttpParts,
  pending: PendingResponses,
  badHttp: BadHttp,
  timeouts: Timeouts,
): Server {
  const { server, connected } = openServer(parts.tls, {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    // How often the first two are checked; with the default, a late request is noticed up to 30 s later.
    connectionsCheckingInterval: Math.min(1000, timeouts.headersMs / 2),
    requireHostHeader: false,
    noDelay: true,
  });
  // Headers beyond the count would be dropped silently, a second Authorization among them. Their size is bounded.
  server.maxHeadersCount = 0;
  const limit = parts.connectionLimit ?? defaultConnectionLimit;
  const connections = new Connections(parts, pending, {
    limit: limit.connections,
    refusals: limit.refusals,
    lingerMs: timeouts.lingerMs,
    refuse: (socket, error) => {
      badHttp.refuse(socket, error);
    },
  });
  // Connections count from the end of their handshake on; those before it are bounded all the same.
  if (parts.tls !== undefined) server.maxConnections = limit.connections + limit.refusals;
  answerHalfClosed(server, connected, pending, parts.clock);
  const limitWriteTime = writeTimeout(pending, timeouts.stallMs);
  const onRequest: RequestListener = (message, response) => {
    pending.begin(message, response);
    limitWriteTime(message.socket, response);
    if (connections.begin(message, response)) handle(message, response);
  };
  return (
    server
      // Each of any number of pipelined requests listens for the end of its socket.
      .on(connected, (socket: Socket) => {
        socket.setMaxListeners(0);
        connections.open(socket);
      })
      .on("request", onRequest)
      .on("checkContinue", onRequest)
      .on("checkExpectation", onRequest)
      .on("connect", (_message, socket) => {
        badHttp.refuse(socket);
      })
  );
}

/** `connected` is the event of a connection that HTTP can be spoken on. */
function openServer(
  tls: HttpParts["tls"],
  options: ServerOptions,
): { server: Server; connected: "connection" | "secureConnection" } {
  if (tls === undefined) return { server: createServer(options), connected: "connection" };
  const server = createTlsServer({ ...options, ...tls.first, handshakeTimeout: options.headersTimeout ?? 0 });
  // Connections that are open keep what they began with.
  tls.onChange((pair) => server.setSecureContext(pair));
  return { server, connected: "secureConnection" };
}
