/** What an engine reports about itself. */
import type { Connection } from "../connection.js";
import { isObject, type JsonObject } from "../../../protocol/read-json.js";
import { countOf, flagOf, listOf, objectOf, textOf } from "../json-value.js";

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
      const props = await connection.report("/props");
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
      const shown = await connection.report("/api/show", { model: chosen ?? "" });
      const contextTokens = await ollamaContext(connection, chosen, shown);
      return { models, contextTokens, ...ollamaCapabilities(shown) };
    }
  }
}

/** The length of the engine's queue, requests of its other users included; undefined when it is not reported. */
export async function readQueueLength(connection: Connection): Promise<number | undefined> {
  const { queueMetric } = connection.profile;
  if (queueMetric === null) return undefined;
  const { path, name } = queueMetric;
  const response = await connection.optional(path);
  if (response?.status !== 200) return undefined;
  const values = response.text
    .split("\n")
    .filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  // One line for each of several engines behind one address.
  const sum = values.reduce((left, right) => left + right);
  return Math.max(0, sum);
}

/** llama-server looks at its model before it looks at the request, which is refused either way. */
async function takesInfill(connection: Connection): Promise<boolean> {
  const response = await connection.optional("/infill", { body: {} });
  return response !== null && ![401, 403, 404, 405, 501, 503].includes(response.status);
}

/** Of the loaded model; else of its model file; else Ollama's default. */
async function ollamaContext(
  connection: Connection,
  model: string | undefined,
  shown: JsonObject,
): Promise<number> {
  const loaded = listOf((await connection.report("/api/ps")).models).filter(isObject);
  const running = loaded.find((item) => item.name === model || item.model === model);
  const current = countOf(running?.context_length);
  if (current !== undefined) return current;
  const configured = /^\s*num_ctx\s+(\d+)/m.exec(textOf(shown.parameters) ?? "");
  return configured === null ? ollamaDefaultContext : Number(configured[1]);
}

/** Ollama lists them since 2025. */
function ollamaCapabilities({ capabilities }: JsonObject): Partial<EngineFacts> {
  if (!Array.isArray(capabilities)) return {};
  const listed: readonly unknown[] = capabilities;
  return {
    hasTools: listed.includes("tools"),
    hasReasoning: listed.includes("thinking"),
    hasInfill: listed.includes("insert"),
    hasVision: listed.includes("vision"),
  };
}

/**
 * Whether its model reads images; undefined where it does not say. `listed` is its model in `/v1/models`, where another Sotto says
 * it.
 */
async function hasVision(
  connection: Connection,
  listed: JsonObject | undefined,
  name: string | undefined,
): Promise<boolean | undefined> {
  const { vision } = connection.profile;
  const reported = flagOf(objectOf(listed?.capabilities).vision);
  if (reported !== undefined || vision === "models") return reported;
  return vision === "tokenize" ? tokenizesImages(connection, name) : imageUnderstanding(connection);
}

async function tokenizesImages(
  connection: Connection,
  name: string | undefined,
): Promise<boolean | undefined> {
  const content = [{ type: "image_url", image_url: { url: greySquare } }];
  const body = { model: name, messages: [{ role: "user", content }] };
  const response = await connection.optional("/tokenize", { body });
  if (response?.status === 200) return true;
  // "… is not a multimodal model", with 400 or, in some releases, 500.
  return response?.status === 400 || response?.status === 500 ? false : undefined;
}

/** Releases before 2026 have only the second. */
async function imageUnderstanding(connection: Connection): Promise<boolean | undefined> {
  for (const path of ["/model_info", "/get_model_info"]) {
    const info = await connection.requestJson(path).catch(() => null);
    if (info !== null) return flagOf(info.has_image_understanding);
  }
  return undefined;
}

/** 64 by 64 pixels: some models refuse smaller images. */
const greySquare =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G320AeXC6efoAAAAASUVORK5CYII=";
