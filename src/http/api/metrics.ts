/** Prometheus metrics: on the API's port for callers with the token, or on a port of their own. */
import { createHash, timingSafeEqual } from "node:crypto";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Metrics } from "../../metrics.js";
import { ServiceError } from "../../core/errors.js";
import { bearerToken } from "./auth.js";
import type { HttpParts } from "../parts.js";
import { withoutSchemas } from "../without-schemas.js";

/** Without the token it is a 404: metrics reveal something about the machine. */
export function guardedMetrics({ metrics, config, operatorToken }: HttpParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const given = bearerToken(request.raw.rawHeaders);
    const isAllowed =
      given !== null &&
      [config.metricsToken, operatorToken].some((token) => token !== undefined && equal(given, token));
    if (!isAllowed) throw new ServiceError("unknown_url");
    return writeMetrics(metrics, reply);
  };
}

/** To listen on 127.0.0.1 only: it needs no token. */
export function createMetricsServer(metrics: Metrics): FastifyInstance {
  const server = fastify({ forceCloseConnections: true, schemaController: withoutSchemas });
  server.get("/metrics", (_request, reply) => writeMetrics(metrics, reply));
  return server;
}

async function writeMetrics(metrics: Metrics, reply: FastifyReply): Promise<string> {
  const { contentType, body } = await metrics.text();
  reply.header("content-type", contentType);
  return body;
}

/** In a time that depends on neither: hashing makes the lengths equal too. */
const equal = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));
const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
