/** From the JSON bodies of Ollama's API to requests. */
import type {
  ChatMessage,
  ChatRequest,
  RawPrompt,
  ReasoningEffort,
  ReplyFormat,
} from "../../core/chat/request.js";
import { penalty, readTopLogprobs, seed, stops } from "../chat-completions/request.js";
import { readTooling } from "../chat-completions/tools.js";
import type { ParsedRequest } from "../dialect.js";
import { imageSizes } from "../images.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { effort } from "../reasoning-effort.js";
import { neutralRequest, readSampling } from "../sampling.js";
import { modestSchema } from "../schema-budget.js";
import { maxInputs, taskRequest } from "../task-request.js";
import { imageList, readMessages, withImages } from "./messages.js";
import { modelName } from "./models.js";

const dimensions = json.integer(1, 2 ** 16);

/** Of `POST /api/chat`. Without messages it only asks for the model to be loaded. */
export function readChatRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const messages = json.optional(body, "messages", readMessages) ?? [];
  refuseTemplate(body);
  const chat = { model, messages, ...readCommon(body), tooling: readTooling(body) };
  return messages.length > 0 ? { chat, ...imageSizes(messages, "messages") } : loading({ chat });
}

/** A prompt must have a message; this one is never generated from. */
const loading = ({ chat }: ParsedRequest): ParsedRequest => ({
  chat: { ...chat, messages: [{ role: "user", content: "" }], stream: false },
  loadsOnly: true,
});

function refuseTemplate(body: JsonObject): void {
  if ((json.optional(body, "template", json.string) ?? "") === "") return;
  const reason = "Models have the template that their operator chose. To write the whole prompt, use 'raw'.";
  throw json.unsupportedParameter("template", reason);
}

/**
 * Of `POST /api/generate`: a conversation of one message, with `raw` a prompt that reaches the model as it is, with
 * `suffix` a gap to be filled. Without a prompt it only asks for the model to be loaded.
 */
export function readGenerateRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const prompt = json.optional(body, "prompt", json.string) ?? "";
  const images = json.optional(body, "images", imageList) ?? [];
  const system = json.optional(body, "system", json.string) ?? "";
  const rawPrompt = readRawPrompt(body, prompt);
  refuseTemplate(body);
  refuseContext(body);
  if (rawPrompt !== undefined && images.length > 0) throw onlyText("images");
  if (rawPrompt !== undefined && system !== "") throw onlyText("system");
  const messages = rawPrompt === undefined ? conversation(system, withImages(prompt, images)) : [];
  const common = { model, ...readCommon(body), tooling: undefined };
  if (rawPrompt !== undefined) return { chat: { ...common, messages, rawPrompt } };
  const isEmpty = prompt === "" && images.length === 0;
  const chat = { ...common, messages };
  return isEmpty ? loading({ chat }) : { chat, ...imageSizes(messages, "images") };
}

function conversation(system: string, asked: Pick<ChatMessage, "content" | "parts">): ChatMessage[] {
  const user: ChatMessage = { role: "user", ...asked };
  return system === "" ? [user] : [{ role: "system", content: system }, user];
}

function readRawPrompt(body: JsonObject, prompt: string): RawPrompt | undefined {
  const suffix = json.optional(body, "suffix", json.string) ?? "";
  const isRaw = json.optional(body, "raw", json.boolean) ?? false;
  if (suffix !== "") return { type: "infill", prefix: prompt, suffix };
  return isRaw && prompt !== "" ? { type: "text", text: prompt } : undefined;
}

const onlyText = (param: string) =>
  json.unsupportedParameter(param, "With 'raw' or 'suffix', the prompt reaches the model as it is.");

/** The tokens of an earlier reply. They would be a conversation that is kept. */
function refuseContext(body: JsonObject): void {
  if ((json.optional(body, "context", json.array) ?? []).length === 0) return;
  const reason = "Replies here have no 'context'. Send the whole conversation to POST /api/chat.";
  throw json.unsupportedParameter("context", reason);
}

/**
 * What `/api/chat` and `/api/generate` have in common: `options`, `format`, `think`, `stream` and log probabilities.
 * Options that only tune sampling or memory (`min_p`, `repeat_penalty`, `mirostat`, `num_ctx`, `num_gpu`, …) and
 * `keep_alive` are ignored: models are loaded as their operator chose.
 */
type Common = Omit<ChatRequest, "model" | "messages" | "tooling">;

/** -1 and -2 mean "without end" there; the model's default applies. */
const tokenCount = json.integer(-2, 2 ** 31 - 1);
const topK = json.integer(-1, 2 ** 31 - 1);

function readCommon(body: JsonObject): Common {
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
    ...neutralRequest,
    sampling,
    stop,
    maxTokens: most > 0 ? most : undefined,
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

/** Of `POST /api/embed`. An input that is too long is refused, also with `truncate`: half of a text has another meaning. */
export function readEmbedRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const inputs = json.required(body, "input", texts);
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: readDimensions(body) }) };
}

/** Of the older `POST /api/embeddings`. */
export function readEmbeddingsRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const inputs = [json.required(body, "prompt", json.nonEmptyString)];
  return { chat: taskRequest(model, { type: "embed", inputs, dimensions: undefined }) };
}

/** 0 is what clients send that leave it out. */
function readDimensions(body: JsonObject): number | undefined {
  return body.dimensions === 0 ? undefined : json.optional(body, "dimensions", dimensions);
}

const texts: Reader<string[]> = (value, path) => {
  if (typeof value === "string") return [json.nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of strings", value);
  const items = json.atMost(maxInputs, json.nonEmptyArray(value, path), path);
  return json.each(items, path, json.nonEmptyString);
};
