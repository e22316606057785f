/** What an engine reports about itself. */
import type { Connection } from "../connection.js";
import { isObject, type JsonObject } from "../../../protocol/read-json.js";
import { countOf, flagOf, listOf, objectOf, textOf } from "../json-value.js";
import { hasVision } from "./vision.js";

/** Undefined: not reported. */
export interface EngineFacts {
  models: readonly string[];
  /** Prompt and reply together. */
  contextTokens?: number | undefined;
  maxConcurrent?: number | undefined;
  vocabularySize?: number | undefined;
  hasTools?: boolean;
  hasReasoning?: boolean;
  hasInfill?: boolean;
  hasVision?: boolean | undefined;
}

/** Ollama loads a model with this unless configured otherwise, whatever the model supports. */
const ollamaDefaultContext = 4096;

/** From the engine's list of models and its other endpoints. A fact that it does not report stays unknown. */
export async function readFacts(connection: Connection, listed: readonly JsonObject[]): Promise<EngineFacts> {
  const request = (path: string, body?: object): Promise<JsonObject> =>
    connection.requestJson(path, { body }).catch(() => ({}));
  const models = listed.map(({ id }) => textOf(id)).filter((id) => id !== undefined);
  const chosen = connection.source.name ?? models[0];
  const model = listed.find(({ id }) => id === chosen);
  const listedContext =
    countOf(model?.max_model_len) ?? countOf(objectOf(model?.meta).n_ctx) ?? countOf(model?.context_length);
  switch (connection.profile.context) {
    case "models":
      // Another Sotto says so in its list.
      return {
        models,
        contextTokens: listedContext,
        hasInfill: objectOf(model?.capabilities).infill === true,
        hasVision: await hasVision(connection, model, chosen),
      };
    case "props": {
      const props = await request("/props");
      return {
        models,
        contextTokens: countOf(objectOf(props.default_generation_settings).n_ctx),
        maxConcurrent: countOf(props.total_slots),
        // It has one model, whatever that is called.
        vocabularySize: countOf(objectOf((model ?? listed[0])?.meta).n_vocab),
        hasInfill: await takesInfill(connection),
        hasVision: flagOf(objectOf(props.modalities).vision),
      };
    }
    case "ollama": {
      const shown = await request("/api/show", { model: chosen ?? "" });
      const contextTokens = await ollamaContext(request, chosen, shown);
      return { models, contextTokens, ...ollamaCapabilities(shown) };
    }
  }
}

/** The length of the engine's queue, requests of its other users included; undefined when it is not reported. */
export async function readQueueLength(connection: Connection): Promise<number | undefined> {
  const { queueMetric } = connection.profile;
  if (queueMetric === null) return undefined;
  const { path, name } = queueMetric;
  const response = await connection.request(path).catch(() => null);
  if (response?.status !== 200) return undefined;
  const values = response.text
    .split("\n")
    .filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  // One line for each of several engines behind one address.
  return Math.max(
    0,
    values.reduce((sum, value) => sum + value, 0),
  );
}

/** llama-server looks at its model before it looks at the request, which is refused either way. */
async function takesInfill(connection: Connection): Promise<boolean> {
  const response = await connection.request("/infill", { body: {} }).catch(() => null);
  return response !== null && ![401, 403, 404, 405, 501, 503].includes(response.status);
}

/** Of the loaded model; else of its model file; else Ollama's default. */
async function ollamaContext(
  request: (path: string, body?: object) => Promise<JsonObject>,
  model: string | undefined,
  shown: JsonObject,
): Promise<number> {
  const loaded = listOf((await request("/api/ps")).models).filter(isObject);
  const running = loaded.find((item) => item.name === model || item.model === model);
  const current = countOf(running?.context_length);
  if (current !== undefined) return current;
  const configured = /^\s*num_ctx\s+(\d+)/m.exec(textOf(shown.parameters) ?? "");
  return configured === null ? ollamaDefaultContext : Number(configured[1]);
}

/** Ollama lists them since 2025. */
function ollamaCapabilities({ capabilities }: JsonObject): Partial<EngineFacts> {
  if (!Array.isArray(capabilities)) return {};
  const listed = listOf(capabilities);
  return {
    hasTools: listed.includes("tools"),
    hasReasoning: listed.includes("thinking"),
    hasInfill: listed.includes("insert"),
    hasVision: listed.includes("vision"),
  };
}
