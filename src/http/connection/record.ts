/** What is kept of a finished request: one log line and the metrics. Names and numbers of ours, no content. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UsageOutcome } from "../../core/usage/usage-recorder.js";
import { errorTable, type ErrorCode, type ServiceError } from "../../core/errors.js";
import { ClientHungUp } from "./exchange.js";
import { headerValues } from "./headers.js";
import type { HttpParts } from "../parts.js";

/** For the log only: the client left before any status was sent. */
const clientClosedRequest = 499;

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const probes = new Set(["/healthz", "/readyz", "/metrics"]);

export function recordExchange({ log, metrics, traces, usage, keys, outcomes, clock }: HttpParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, code, stream, trace, startedMs } = request.exchange;
    const hungUp = hasHungUp(request, reply);
    const route = request.routeOptions.url ?? `${request.server.prefix}/*`;
    const status = statusOf(request, reply);
    const durationMs = clock.monotonicMs() - startedMs;

    const method = knownMethods.has(request.method) ? request.method : "other";

    // Probes come every few seconds and say nothing when all is well.
    const level = status === 200 && probes.has(route) ? "debug" : "info";
    const line = {
      requestId: request.id,
      account: caller?.account.id,
      key: caller?.key.id,
      route,
      method,
      status,
      code,
      outcome: hungUp ? "hung_up" : code === "none" ? "finished" : "failed",
      stream,
      // By name: a spread would make this the most expensive object of a request.
      model: trace.model,
      promptTokens: trace.promptTokens,
      queuedMs: trace.queuedMs,
      firstTokenMs: trace.firstTokenMs,
      completionTokens: trace.completionTokens,
      durationMs,
    };
    log[level]("request", line);
    metrics.request({ route, status, code, durationMs });
    traces?.record({
      ...line,
      endedAt: clock.now(),
      traceparent: headerValues(request.raw.rawHeaders, "traceparent")[0],
    });
    const { model, completionTokens = 0, queuedMs, firstTokenMs } = trace;
    // Before it left the queue the engine has done no work for it.
    const promptTokens = queuedMs === undefined ? undefined : trace.promptTokens;
    if (model !== undefined && promptTokens !== undefined) {
      metrics.completion({ model, promptTokens, completionTokens, queuedMs, firstTokenMs });
    }
    const outcome = outcomeOf(code, queuedMs !== undefined);
    if (model !== undefined || isForModel(request)) {
      outcomes?.record({ model: model ?? null, code, outcome });
    }
    if (caller === null) return;
    if (model !== undefined && caller.session === undefined) keys.noteModel?.(caller.key.id, model);
    const isRefused = outcome === "rate_limited" || outcome === "unavailable";
    if (model === undefined && !(isRefused && isForModel(request))) return;
    usage?.record({
      accountId: caller.account.id,
      keyId: caller.key.id,
      model: model ?? null,
      outcome,
      promptTokens: promptTokens ?? 0,
      completionTokens,
      firstTokenMs,
      queuedMs,
    });
  };
}

/** Whether it belongs to its account's usage even if it was refused before its model was known. */
const isForModel = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.countsRequests === true || isPlaygroundPath(routeOptions.url);

const isPlaygroundPath = (path = ""): boolean => /^\/api\/(teams\/:team\/)?playground$/.test(path);

/** As the client got it, or `clientClosedRequest`. */
export const statusOf = (request: FastifyRequest, reply: FastifyReply): number =>
  hasHungUp(request, reply) && !reply.raw.headersSent ? clientClosedRequest : reply.raw.statusCode;

/** Most responses are finished, and a signal is slow to ask. */
const hasHungUp = ({ exchange }: FastifyRequest, { raw }: FastifyReply): boolean =>
  !raw.writableFinished && exchange.signal.reason instanceof ClientHungUp;

/** Of a request that was refused before it was routed. */
export function recordRefusal(
  { log, metrics }: Pick<HttpParts, "log" | "metrics">,
  requestId: string,
  { status, code }: ServiceError,
): void {
  const route = "*";
  log.info("request", { requestId, route, method: "other", status, code, outcome: "failed" });
  metrics.request({ route, status, code, durationMs: 0 });
}

/** What had its turn was not refused, whatever became of it. */
function outcomeOf(code: ErrorCode | "none", hadItsTurn: boolean): UsageOutcome {
  if (code === "none") return "ok";
  if (hadItsTurn) return "error";
  const { status } = errorTable[code];
  if (status === 429) return "rate_limited";
  return status === 503 ? "unavailable" : "error";
}
