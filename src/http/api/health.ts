/** For supervisors and load balancers: is the process alive, and can it answer? */
import type { FastifyReply } from "fastify";
import { type ModelId, modelIds } from "../../core/models.js";
import { type EngineStatus, isAvailable } from "../../core/serving/engine-port.js";
import { isOffered } from "../../core/serving/required-task.js";
import type { HttpParts } from "../parts.js";

const retryAfterSeconds = 5;

/** Why a model cannot answer, as a code: anybody may ask, so no more than that. */
const causeOf = (id: ModelId, status: EngineStatus): [ModelId, string][] =>
  isAvailable(status) || status.problem === undefined ? [] : [[id, status.problem.cause]];

export const healthz = async () => ({ status: "ok" });

export function readyz({ notReady, engineStatus, failing = () => ({}) }: HttpParts) {
  return async (_request: unknown, reply: FastifyReply) => {
    const reason = notReady();
    const offered = modelIds.filter((id) => isOffered(id, engineStatus(id)));
    const models = Object.fromEntries(offered.map((id) => [id, engineStatus(id).state]));
    const causes = Object.fromEntries(offered.flatMap((id) => causeOf(id, engineStatus(id))));
    const failed = failing();
    const said = {
      models,
      ...(Object.keys(causes).length === 0 ? {} : { causes }),
      ...(Object.keys(failed).length === 0 ? {} : { failing: failed }),
    };
    if (reason === null) return { status: "ready", ...said };
    reply.code(503).header("retry-after", retryAfterSeconds);
    return { status: "unavailable", reason, ...said };
  };
}
