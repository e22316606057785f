/**
 * The HTTP server: what happens to every request, in order, and the routes at the end of it. Statuses and
 * bodies that Node or Fastify would send by themselves are all replaced, so that clients only see those of the
 * specification.
 */
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type onRequestAsyncHookHandler,
  type onRequestHookHandler,
  type RouteOptions,
} from "fastify";
import { ServiceError } from "../core/errors.js";
import { authenticateAndCount } from "./api/auth.js";
import { noteArrival } from "./api/note-arrival.js";
import { speaksMessages } from "./api/request-dialect.js";
import { inChunks, sealWhole } from "./encrypted/whole-reply.js";
import { BadHttp, requireSoundHead } from "./connection/bad-http.js";
import { answerError } from "./errors.js";
import { Exchanges, type OnEnd } from "./connection/exchange.js";
import { newRequestId } from "./connection/ids.js";
import { lingerOnUnreadBody } from "./connection/linger.js";
import { createNodeServer } from "./connection/node-server.js";
import { PendingResponses } from "./connection/pending-responses.js";
import { defaultTimeouts, type HttpParts } from "./parts.js";
import { routableTarget } from "./connection/paths.js";
import { recordExchange } from "./connection/record.js";
import { apiRoutes, ollamaRefusals, ollamaRoutes, openRoutes } from "./routes.js";
import { withoutSchemas } from "./without-schemas.js";
import { writeSecurityHeaders } from "./connection/security-headers.js";
import { unknownUrlOf, type UnknownUrl } from "./unknown-url.js";

export { createMetricsServer } from "./api/metrics.js";
export type { HttpParts } from "./parts.js";

/** For responses under way when the server closes. */
const closeMs = 5_000;

export function createHttpServer(parts: HttpParts): FastifyInstance {
  const timeouts = { ...defaultTimeouts, ...parts.timeouts };
  const pending = new PendingResponses(parts.clock);
  const badHttp = new BadHttp(parts, pending, timeouts.lingerMs);
  const exchanges = new Exchanges();
  const [record, note] = [recordExchange(parts), noteArrival(parts)];
  const onEnd: OnEnd = (request, reply) => {
    record(request, reply);
    note(request, reply);
    if (request.method === "POST") parts.onWork?.();
  };

  const linger = lingerOnUnreadBody(parts.config.bodyLimitBytes, timeouts.lingerMs);

  const app = fastify({
    serverFactory: (handle) => createNodeServer(handle, parts, pending, badHttp, timeouts),
    clientErrorHandler: (error, socket) => {
      badHttp.onClientError(error, socket);
    },
    genReqId: newRequestId,
    trustProxy: parts.trustProxy ?? false,
    rewriteUrl: ({ url = "/" }) => routableTarget(url),
    // A longer one does not fit into the headers; the router's own answer to it would be a 414.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 65_536 },
    return503OnClosing: false,
    schemaController: withoutSchemas,
    forceCloseConnections: true,
  });
  app.decorateRequest("exchange");
  // Bodies are read by the handlers that want one.
  app.removeAllContentTypeParsers();
  // With the usual type by name: Fastify parses any other again for each request.
  app.addContentTypeParser(["application/json", "*"], (_request, _payload, done) => {
    done(null);
  });
  app.setErrorHandler(answerError(parts.log));
  app.addHook("preClose", () =>
    exchanges.endAll(new ServiceError("maintenance", { message: "The server is shutting down." }), closeMs),
  );

  // --------------------------------------------------------------------------------- order of middleware
  // Hooks that wait for nothing call `done`: a promise for each costs more than most of them do.
  app.addHook("onRequest", (request, reply, done) => {
    writeSecurityHeaders(request, reply);
    exchanges.open(request, reply, parts.clock.monotonicMs(), onEnd);
    reply.header("x-request-id", request.id);
    if (speaksMessages(request)) reply.header("request-id", request.id);
    requireSoundHead(request, reply);
    done();
  });
  const api = apiRoutes(parts);
  const unknownUrl = unknownUrlOf(api);
  const forCallers = [announceMaintenance(parts), authenticateAndCount(parts)];
  addRoutes(app, "/v1", forCallers, api, unknownUrl);
  addRoutes(app, "/api", forCallers, [...ollamaRoutes(parts), ...ollamaRefusals(parts)], null);
  addRoutes(app, "", [], openRoutes(parts), unknownUrl);
  app.addHook("onSend", (request, reply, payload, done) => {
    closeWhileDraining(parts, reply);
    done(null, inChunks(request, linger(request, reply, sealWhole(request, reply, payload))));
  });
  return app;
}

/** The hooks run for unknown paths under the prefix too, unless those are left to others. */
function addRoutes(
  app: FastifyInstance,
  prefix: string,
  onRequest: (onRequestHookHandler | onRequestAsyncHookHandler)[],
  routes: readonly RouteOptions[],
  unknownUrl: UnknownUrl | null,
): void {
  void app.register(
    async (scope) => {
      for (const hook of onRequest) scope.addHook("onRequest", hook);
      if (unknownUrl !== null) explainUnknown(scope, unknownUrl);
      for (const route of routes) scope.route(route);
    },
    { prefix },
  );
}

function explainUnknown(scope: FastifyInstance, unknownUrl: UnknownUrl): void {
  // After every onRequest hook, also those of the dashboard, which has a page for unknown addresses.
  // Before anything is read: whether there is a body and what kind does not matter to an unknown path.
  scope.addHook("preParsing", (request, _reply, _payload, done) => {
    if (request.is404) throw unknownUrl(request);
    done();
  });
  scope.setNotFoundHandler((request) => {
    throw unknownUrl(request);
  });
}

/** On every answer of the API, so that programs can warn their users beforehand. */
function announceMaintenance({ maintenance }: HttpParts): onRequestHookHandler {
  return (_request, reply, done) => {
    const announced = maintenance?.() ?? null;
    if (announced !== null) reply.header("x-sotto-maintenance", announced);
    done();
  };
}

/**
 * A kept connection would be cut when the server ends, perhaps during the next request. With this header, clients and
 * load balancers open the next one elsewhere. Streams under way have sent their headers; they finish as they are.
 */
function closeWhileDraining({ isDraining }: HttpParts, reply: FastifyReply): void {
  if (isDraining?.() === true) reply.header("connection", "close");
}
