/**
 * `GET /v1/key`: a key asks about itself. Any key that works may, whatever else it may do. The answer has no place for the
 * key itself, nor for who owns it.
 */
import type { FastifyRequest } from "fastify";
import { operations } from "../../core/entities.js";
import type { LimitReading } from "../../core/limits/limits.js";
import { endOf } from "../../core/serving/permission.js";
import { isOffered } from "../../core/serving/required-task.js";
import { modelIds } from "../../core/models.js";
import { callerOf } from "../connection/caller.js";
import type { HttpParts } from "../parts.js";

export function describeKey({ limits, clock, engineStatus }: HttpParts) {
  return async (request: FastifyRequest) => {
    const caller = callerOf(request);
    const { key, plan } = caller;
    const now = await limits.readings(caller);
    const nowMs = clock.now().getTime();
    const end = endOf(caller);
    return {
      id: key.id,
      object: "key",
      name: key.name,
      last_four: key.lastFour,
      plan: { id: plan.id, name: plan.name },
      // Those that both the key and its plan allow.
      models: modelIds.filter(
        (id) =>
          key.scopes.length === 0 &&
          isOffered(id, engineStatus(id)) &&
          key.models?.includes(id) !== false &&
          plan.models?.includes(id) !== false,
      ),
      operations: operations.filter((operation) => key.operations?.includes(operation) !== false),
      scopes: [...key.scopes],
      created: Math.floor(key.createdAt.getTime() / 1000),
      expires_at: end === null ? null : Math.floor(end.getTime() / 1000),
      limits: now.map((limit) => wireLimit(limit, nowMs)),
    };
  };
}

/** Unix seconds, rounded up so that nobody retries too early; null where nothing is used, and where no clock frees it. */
const wireLimit = ({ resetMs, ...limit }: LimitReading, nowMs: number) => ({
  ...limit,
  resets_at: resetMs === null ? null : Math.ceil((nowMs + resetMs) / 1000),
});
