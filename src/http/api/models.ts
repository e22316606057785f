/** `GET /v1/models` and `GET /v1/models/{id}`, in the shape of the API that the client speaks. */
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../core/errors.js";
import { aliasOf, wireModel, type WireModel, type WireModelList } from "../../protocol/model-list.js";
import { messagesModel, messagesModelList } from "../../protocol/messages/models.js";
import { modelIds, type ModelId } from "../../core/models.js";
import { isOffered } from "../../core/serving/required-task.js";
import { object, required, string } from "../../protocol/read-json.js";
import { callerOf } from "../connection/caller.js";
import type { HttpParts } from "../parts.js";
import { speaksMessages } from "./request-dialect.js";

export function listModels(parts: HttpParts) {
  return async (request: FastifyRequest) => {
    requirePermission(request);
    const data = offeredModels(request, parts);
    return speaksMessages(request)
      ? messagesModelList(data.filter(({ capabilities }) => capabilities.chat))
      : ({ object: "list", data } satisfies WireModelList);
  };
}

export function retrieveModel(parts: HttpParts) {
  return async (request: FastifyRequest) => {
    const name = required(object(request.params, "path"), "id", string);
    const model = modelNamed(name, request, parts);
    return speaksMessages(request) ? messagesModel(model) : model;
  };
}

/** By its own name or an alias. */
export function modelNamed(name: string, request: FastifyRequest, parts: HttpParts): WireModel {
  const id = parts.completions.names.require(name);
  if (!isOffered(id, parts.engineStatus(id))) throw new ServiceError("model_not_found", { param: "model" });
  requirePermission(request);
  const own = listed(id, request, parts);
  return id === name ? own : aliasOf(name, own);
}

/** In the specification's order, whatever a key may use; then the aliases, where they are listed. */
export function offeredModels(request: FastifyRequest, parts: HttpParts): WireModel[] {
  const { engineStatus } = parts;
  const offered = modelIds.filter((id) => isOffered(id, engineStatus(id)));
  const models = offered.map((id) => listed(id, request, parts));
  const aliases = parts.config.listAliases === true ? parts.completions.names.exact : [];
  const others = aliases
    .filter(({ model }) => offered.includes(model))
    .map(({ name, model }) => aliasOf(name, listed(model, request, parts)));
  return [...models, ...others];
}

function listed(
  id: ModelId,
  request: FastifyRequest,
  { ownerName, createdAt, engineStatus, modelDescription, completions }: HttpParts,
): WireModel {
  const { contextTokens, follows } = engineStatus(id);
  return wireModel(
    {
      id,
      contextTokens,
      follows,
      description: modelDescription?.(id) ?? null,
      fallback: completions.substitutes[id],
    },
    { ownerName: ownerName(), createdAt, planMaxTokens: callerOf(request).plan.maxTokens },
  );
}

export function requirePermission(request: FastifyRequest): void {
  const { operations } = callerOf(request).key;
  if (operations === null || operations.includes("models")) return;
  throw new ServiceError("insufficient_permissions", {
    message: "This API key may not list models. Use a key that allows the operation 'models'.",
  });
}
