/** `GET /v1/models` and `GET /v1/models/{id}`. */
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../protocol/errors.js";
import { aliasOf, wireModel, type WireModel, type WireModelList } from "../../protocol/model-list.js";
import { modelIds, type ModelId } from "../../protocol/models.js";
import { object, required, string } from "../../protocol/read-json.js";
import { callerOf } from "../connection/caller.js";
import type { HttpParts } from "../parts.js";

export function listModels(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<WireModelList> => {
    requirePermission(request);
    // All three, in the specification's order, whatever a key may use.
    const models = modelIds.map((id) => listed(id, request, parts));
    const aliases = parts.config.listAliases === true ? parts.completions.names.exact : [];
    const others = aliases.map(({ name, model }) => aliasOf(name, listed(model, request, parts)));
    return { object: "list", data: [...models, ...others] };
  };
}

export function retrieveModel(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<WireModel> => {
    const name = required(object(request.params, "path"), "id", string);
    const id = parts.completions.names.require(name);
    requirePermission(request);
    const model = listed(id, request, parts);
    return id === name ? model : aliasOf(name, model);
  };
}

function listed(
  id: ModelId,
  request: FastifyRequest,
  { config, createdAt, engineStatus, modelDescription }: HttpParts,
): WireModel {
  const { contextTokens, follows } = engineStatus(id);
  return wireModel(
    { id, contextTokens, follows, description: modelDescription?.(id) ?? null },
    { ownerName: config.ownerName, createdAt, planMaxTokens: callerOf(request).plan.maxTokens },
  );
}

function requirePermission(request: FastifyRequest): void {
  const { operations } = callerOf(request).key;
  if (operations === null || operations.includes("models")) return;
  throw new ServiceError("insufficient_permissions", {
    message: "This API key may not list models. Use a key that allows the operation 'models'.",
  });
}
