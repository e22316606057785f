/** What Ollama's API says about models, and the paths of it that are not served. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../core/errors.js";
import type { WireModel } from "../../protocol/model-list.js";
import { absence, type Endpoint } from "../../protocol/endpoints.js";
import {
  modelName,
  modelTags,
  ollamaVersion,
  runningModels,
  shownModel,
  type WeightsOf,
} from "../../protocol/ollama/models.js";
import { bodyObject, required } from "../../protocol/read-json.js";
import { readJson } from "../bodies/body.js";
import type { HttpParts } from "../parts.js";
import { modelNamed, offeredModels, requirePermission } from "./models.js";

/** Of a request that names a model and nothing else. */
const bodyLimitBytes = 64 * 1024;

export const version = async (): Promise<object> => ({ version: ollamaVersion });

export function listTags(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<object> => {
    requirePermission(request);
    return modelTags(offeredModels(request, parts), weightsOf(parts));
  };
}

export function listRunning(parts: HttpParts) {
  return async (request: FastifyRequest): Promise<object> => {
    requirePermission(request);
    const isLoaded = (model: WireModel): boolean => {
      const id = parts.completions.names.find(model.id);
      return id !== undefined && parts.engineStatus(id).state === "ready";
    };
    return runningModels(offeredModels(request, parts).filter(isLoaded), weightsOf(parts));
  };
}

export function showModel(parts: HttpParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const body = bodyObject(await readJson(request, reply, bodyLimitBytes));
    // Older clients send it as `name`.
    const name = required({ model: body.model ?? body.name }, "model", modelName);
    return shownModel(modelNamed(name, request, parts));
  };
}

const weightsOf =
  ({ receipts, completions }: HttpParts): WeightsOf =>
  ({ id }) => {
    const model = completions.names.find(id);
    return model === undefined ? null : (receipts?.facts(model).weights ?? null);
  };

/** Before anything of the body is read. */
export const refuse = (endpoint: Endpoint) => async (): Promise<never> => {
  throw new ServiceError("unknown_url", { message: absence(endpoint) });
};

export const refuseMethod =
  ({ method, path }: Pick<Endpoint, "method" | "path">) =>
  async (): Promise<never> => {
    const message = `This endpoint does not accept this method: use ${method} ${path}.`;
    throw new ServiceError("unknown_url", { message });
  };
