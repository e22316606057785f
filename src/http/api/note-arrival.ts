/** Tells the connection tests how a request to the API ended. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientFamilyOf } from "../../core/client-family.js";
import type { KeyProblem } from "../../core/keys/connection-tests.js";
import { keyHash } from "../../core/keys/key-format.js";
import { isOllamaPath } from "../../protocol/ollama/paths.js";
import { clientNetwork } from "../connection/client-network.js";
import { statusOf } from "../connection/record.js";
import type { HttpParts } from "../parts.js";
import { keyIn } from "./auth.js";

export function noteArrival({ connectionTests, clock }: HttpParts) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (connectionTests?.isAwaited !== true || isOfDashboard(request)) return;
    const { caller, code, startedMs, trace } = request.exchange;
    const status = statusOf(request, reply);
    const isClientOfNobody = request.method === "POST" && (status === 401 || status === 404);
    if (caller === null && !isClientOfNobody) return;
    connectionTests.note(caller?.account.id ?? null, clientNetwork(request.ip), {
      atMs: clock.now().getTime(),
      client: clientFamilyOf(request.raw.headers["user-agent"]),
      isCompletion: request.routeOptions.config.countsRequests === true,
      status,
      code,
      lastFour: caller?.key.lastFour ?? null,
      keyProblem: status === 401 ? keyProblem(request) : null,
      durationMs: clock.monotonicMs() - startedMs,
      firstTokenMs: trace.firstTokenMs ?? null,
    });
  };
}

const isOfDashboard = ({ url }: FastifyRequest): boolean => url.startsWith("/api/") && !isOllamaPath(url);

function keyProblem({ raw }: FastifyRequest): KeyProblem {
  const key = keyIn(raw.rawHeaders);
  if (key === null) return "missing";
  return keyHash(key) === null ? "malformed" : "unknown";
}
