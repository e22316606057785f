/** For whoever starts, restarts and balances: is the process alive, and can it answer? */
import type { FastifyReply } from "fastify";
import { modelIds } from "../protocol/models.js";
import type { HttpParts } from "./parts.js";

const retryAfterSeconds = 5;

export const healthz = async () => ({ status: "ok" });

export function readyz({ isReady, engineStatus }: HttpParts) {
  return async (_request: unknown, reply: FastifyReply) => {
    const ready = isReady();
    if (!ready) reply.code(503).header("retry-after", retryAfterSeconds);
    const models = Object.fromEntries(modelIds.map((id) => [id, engineStatus(id).state]));
    return { status: ready ? "ready" : "unavailable", models };
  };
}
