/** What an engine reports about itself that we need to use it. */
import type { Connection } from "../connection.js";
import { countOf, isObject, listOf, objectOf, textOf, type JsonObject } from "../json-value.js";
import type { Profile } from "../profiles.js";

export interface EngineFacts {
  /** Names of its models, in its own order. */
  models: readonly string[];
  /** Prompt and reply together; undefined when it does not say. */
  contextTokens: number | undefined;
  /** How many requests it runs at once; undefined when it does not say. */
  concurrent: number | undefined;
  /** How many tokens its model knows; undefined when it does not say. */
  vocabularySize: number | undefined;
  /** Whether its model can call tools; undefined when it does not tell. */
  hasTools: boolean | undefined;
  /** Whether its model thinks; undefined when it does not tell. */
  thinks: boolean | undefined;
}

export const nothingKnown: EngineFacts = {
  models: [],
  contextTokens: undefined,
  concurrent: undefined,
  vocabularySize: undefined,
  hasTools: undefined,
  thinks: undefined,
};

/** Ollama loads a model with this when nobody said otherwise, whatever the model could do. */
const ollamaUsualContext = 4096;

/**
 * What the engine's list of models says, and what else it is asked. What it does not answer stays unknown; that
 * alone is no reason not to use it.
 */
export async function askFacts(
  connection: Connection,
  profile: Profile,
  listed: readonly JsonObject[],
  name: string | undefined,
  timeoutMs: number,
): Promise<EngineFacts> {
  const ask = (path: string, body?: object): Promise<JsonObject> =>
    connection.askJson(path, timeoutMs, undefined, body).catch(() => ({}));
  const models = listed.map(({ id }) => textOf(id)).filter((id) => id !== undefined);
  const chosen = name ?? models[0];
  const model = listed.find(({ id }) => id === chosen);
  const listedContext =
    countOf(model?.max_model_len) ?? countOf(objectOf(model?.meta).n_ctx) ?? countOf(model?.context_length);
  switch (profile.context) {
    case "models":
      return { ...nothingKnown, models, contextTokens: listedContext };
    case "props": {
      const props = await ask("/props");
      return {
        ...nothingKnown,
        models,
        contextTokens: countOf(objectOf(props.default_generation_settings).n_ctx),
        concurrent: countOf(props.total_slots),
        // It has one model, whatever that is called.
        vocabularySize: countOf(objectOf((model ?? listed[0])?.meta).n_vocab),
      };
    }
    case "ollama": {
      const shown = await ask("/api/show", { model: chosen ?? "" });
      const contextTokens = await ollamaContext(ask, chosen, shown);
      return { ...nothingKnown, models, contextTokens, ...ollamaAbilities(shown) };
    }
  }
}

/** How many requests wait at the engine, whoever sent them; undefined when it does not say. */
export async function askWaiting(
  connection: Connection,
  profile: Profile,
  timeoutMs: number,
): Promise<number | undefined> {
  if (profile.load === null) return undefined;
  const { path, waiting } = profile.load;
  const answer = await connection.ask(path, timeoutMs).catch(() => null);
  if (answer?.status !== 200) return undefined;
  const values = answer.text
    .split("\n")
    .filter((line) => line.startsWith(waiting) && /^[{ ]/.test(line.slice(waiting.length)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  // One line for each of several engines behind one address.
  return Math.max(
    0,
    values.reduce((sum, value) => sum + value, 0),
  );
}

/** What the loaded model runs with; else what its file asks for; else Ollama's default. */
async function ollamaContext(
  ask: (path: string, body?: object) => Promise<JsonObject>,
  model: string | undefined,
  shown: JsonObject,
): Promise<number> {
  const loaded = listOf((await ask("/api/ps")).models).filter(isObject);
  const running = loaded.find((item) => item.name === model || item.model === model);
  const runsWith = countOf(running?.context_length);
  if (runsWith !== undefined) return runsWith;
  const asked = /^\s*num_ctx\s+(\d+)/m.exec(textOf(shown.parameters) ?? "");
  return asked === null ? ollamaUsualContext : Number(asked[1]);
}

/** Ollama lists them since 2025. */
function ollamaAbilities({ capabilities }: JsonObject): Pick<EngineFacts, "hasTools" | "thinks"> {
  if (!Array.isArray(capabilities)) return { hasTools: undefined, thinks: undefined };
  const listed = listOf(capabilities);
  return { hasTools: listed.includes("tools"), thinks: listed.includes("thinking") };
}
