/** Models as Ollama's API lists and shows them. What is not known of a model, or not public, is empty. */
import type { WireModel } from "../model-list.js";
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";

/** The version of Ollama whose API this is. Clients ask for it to know what they may send. */
export const ollamaVersion = "0.13.0";

/** Clients show the first characters of it. */
const noDigest = "0".repeat(64);

/** They stay loaded, or are loaded again by the next request. */
const never = "9999-12-31T23:59:59Z";

const details = {
  parent_model: "",
  format: "",
  family: "",
  families: [],
  parameter_size: "",
  quantization_level: "",
};

/** SHA-256 of its weights, where one file computes its replies and it is known. */
export type WeightsOf = (model: WireModel) => string | null;

export const modelTags = (models: readonly WireModel[], weightsOf: WeightsOf) => ({
  models: models.map((model) => ({
    ...named(model, weightsOf),
    modified_at: timeOf(model),
    size: 0,
    details,
  })),
});

export const runningModels = (models: readonly WireModel[], weightsOf: WeightsOf) => ({
  models: models.map((model) => ({
    ...named(model, weightsOf),
    size: 0,
    details,
    expires_at: never,
    size_vram: 0,
    context_length: model.context_length ?? 0,
  })),
});

const named = (model: WireModel, weightsOf: WeightsOf) => ({
  name: tagged(model.id),
  model: tagged(model.id),
  digest: weightsOf(model) ?? noDigest,
});

export function shownModel(model: WireModel) {
  const architecture = "sotto";
  return {
    license: "",
    modelfile: "",
    parameters: "",
    template: "",
    details,
    // Clients look for the length of the context here, under the name of the architecture.
    model_info: {
      "general.architecture": architecture,
      "general.name": model.id,
      [`${architecture}.context_length`]: model.context_length ?? 0,
    },
    capabilities: capabilitiesOf(model),
    modified_at: timeOf(model),
  };
}

function capabilitiesOf({ capabilities }: WireModel): string[] {
  const { chat, tools, infill, vision, reasoning, embeddings } = capabilities;
  const has = {
    completion: chat,
    tools,
    insert: infill,
    vision,
    thinking: reasoning,
    embedding: embeddings,
  };
  return Object.entries(has).flatMap(([name, isTrue]) => (isTrue ? [name] : []));
}

const timeOf = ({ created }: WireModel): string => new Date(created * 1000).toISOString();

const tag = ":latest";

/** Names of models as Ollama's clients write them: with a tag, which is `latest` where there is none. */
export const modelName: Reader<string> = (value, path) => {
  const name = json.nonEmptyString(value, path);
  return name.endsWith(tag) ? json.nonEmptyString(name.slice(0, -tag.length), path) : name;
};

const tagged = (id: string): string => `${id}${tag}`;
