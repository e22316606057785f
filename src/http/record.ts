/** What is kept of a finished request: one log line and the metrics. Names and numbers of ours, no content. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ClientHungUp } from "./exchange.js";
import type { HttpParts } from "./parts.js";

/** For the log only: the client left before any status was sent. */
const clientClosedRequest = 499;

const knownMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function recordExchange({ log, metrics, clock }: HttpParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, code, stream, trace, startedMs, signal } = request.exchange;
    const hungUp = signal.reason instanceof ClientHungUp;
    const route = request.routeOptions.url ?? `${request.server.prefix}/*`;
    const status = hungUp && !reply.raw.headersSent ? clientClosedRequest : reply.raw.statusCode;
    const durationMs = clock.monotonicMs() - startedMs;

    log.info("request", {
      requestId: request.id,
      account: caller?.account.id,
      key: caller?.key.id,
      route,
      method: knownMethods.includes(request.method) ? request.method : "other",
      status,
      code,
      outcome: hungUp ? "hung_up" : code === "none" ? "finished" : "failed",
      stream,
      ...trace,
      durationMs,
    });
    metrics.request({ route, status, code, durationMs });
    const { model, promptTokens, completionTokens = 0, queuedMs, firstTokenMs } = trace;
    // Before it left the queue the engine has done no work for it.
    if (model !== undefined && promptTokens !== undefined && queuedMs !== undefined) {
      metrics.completion({ model, promptTokens, completionTokens, queuedMs, firstTokenMs });
    }
  };
}
