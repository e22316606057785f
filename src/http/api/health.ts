/** For whoever starts, restarts and balances: is the process alive, and can it answer? */
import type { FastifyReply } from "fastify";
import { modelIds } from "../../protocol/models.js";
import type { HttpParts } from "../parts.js";

const retryAfterSeconds = 5;

export const healthz = async () => ({ status: "ok" });

export function readyz({ notReady, engineStatus, failing = () => ({}) }: HttpParts) {
  return async (_request: unknown, reply: FastifyReply) => {
    const reason = notReady();
    const models = Object.fromEntries(modelIds.map((id) => [id, engineStatus(id).state]));
    const failed = failing();
    const more = Object.keys(failed).length === 0 ? {} : { failing: failed };
    if (reason === null) return { status: "ready", models, ...more };
    reply.code(503).header("retry-after", retryAfterSeconds);
    return { status: "unavailable", reason, models, ...more };
  };
}
