/**
 * What `/api/chat` and `/api/generate` have in common: `options`, `format`, `think`, `stream` and log probabilities.
 * Options that only tune sampling or memory (`min_p`, `repeat_penalty`, `mirostat`, `num_ctx`, `num_gpu`, …) and
 * `keep_alive` are ignored: models are loaded as their operator chose.
 */
import type { ChatRequest, ReasoningEffort, ReplyFormat } from "../../core/chat/request.js";
import { penalty, readTopLogprobs, seed, stops } from "../chat-completions/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { effort } from "../reasoning-effort.js";
import { readSampling } from "../sampling.js";
import { modestSchema } from "../schema-budget.js";

type Common = Omit<ChatRequest, "model" | "messages" | "tooling">;

/** -1 and -2 mean "without end" there; the model's default applies. */
const tokenCount = json.integer(-2, 2 ** 31 - 1);
const topK = json.integer(-1, 2 ** 31 - 1);

export function readCommon(body: JsonObject): Common {
  const options = json.optional(body, "options", json.object) ?? {};
  const at = "options";
  const sampling = {
    ...readSampling(options, 2, at),
    frequencyPenalty: json.optional(options, "frequency_penalty", penalty, at) ?? 0,
    presencePenalty: json.optional(options, "presence_penalty", penalty, at) ?? 0,
    seed: json.optional(options, "seed", seed, at),
  };
  // The likeliest token alone, which is temperature 0; any other number only trims a tail that `top_p` trims as well.
  if (json.optional(options, "top_k", topK, at) === 1) sampling.temperature = 0;
  const most = json.optional(options, "num_predict", tokenCount, at) ?? 0;
  const stop = json.optional(options, "stop", stops, at) ?? [];
  const format = json.optional(body, "format", replyFormat) ?? { type: "text" };
  const reasoningEffort = json.optional(body, "think", thinking);
  const stream = json.optional(body, "stream", json.boolean) ?? true;
  return {
    sampling,
    stop,
    maxTokens: most > 0 ? most : undefined,
    choices: 1,
    topLogprobs: readTopLogprobs(body),
    format,
    reasoningEffort,
    stream,
    includeUsage: true,
  };
}

const replyFormat: Reader<ReplyFormat> = (value, path) => {
  if (json.isObject(value)) return { type: "json_schema", name: "reply", schema: modestSchema(value, path) };
  if (typeof value !== "string") throw json.wrongType(path, "'json' or a JSON schema", value);
  if (value === "") return { type: "text" };
  if (value === "json") return { type: "json_object" };
  throw json.invalidValue(path, "expected 'json' or a JSON schema");
};

const thinking: Reader<ReasoningEffort> = (value, path) => {
  if (typeof value === "boolean") return value ? "medium" : "none";
  if (typeof value !== "string") throw json.wrongType(path, "a boolean or a string", value);
  return effort(value, path);
};
