/** `GET /v1/models` and `GET /v1/models/{id}`. */
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../protocol/errors.js";
import {
  wireModel,
  wireModelList,
  type ModelListing,
  type WireModel,
  type WireModelList,
} from "../protocol/model-list.js";
import { isModelId } from "../protocol/models.js";
import { object, required, string } from "../protocol/read-json.js";
import { callerOf } from "./auth.js";
import type { HttpParts } from "./parts.js";

export function listModels(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<WireModelList> => {
    requirePermission(request);
    return wireModelList(listing(parts));
  };
}

export function retrieveModel(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<WireModel> => {
    const id = required(object(request.params, "path"), "id", string);
    if (!isModelId(id)) throw new ServiceError("model_not_found", { param: "model" });
    requirePermission(request);
    return wireModel(id, listing(parts));
  };
}

const listing = ({ config, createdAt }: HttpParts): ModelListing => ({
  ownerName: config.ownerName,
  createdAt,
});

function requirePermission(request: FastifyRequest): void {
  const { operations } = callerOf(request).key;
  if (operations === null || operations.includes("models")) return;
  throw new ServiceError("insufficient_permissions", {
    message: "This API key may not list models. Use a key that allows the operation 'models'.",
  });
}
