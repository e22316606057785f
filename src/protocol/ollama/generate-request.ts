/**
 * From the JSON body of `POST /api/generate` to a `ChatRequest`: a conversation of one message, with `raw` a prompt that
 * reaches the model as it is, with `suffix` a gap to be filled. Without a prompt it only asks for the model to be loaded.
 */
import type { ChatMessage, RawPrompt } from "../../core/chat/request.js";
import type { ParsedRequest } from "../dialect.js";
import type { JsonObject } from "../read-json.js";
import * as json from "../read-json.js";
import { loading, refuseTemplate } from "./chat-request.js";
import { imageSizes } from "../images.js";
import { imageList, withImages } from "./images.js";
import { modelName } from "./model-name.js";
import { readCommon } from "./options.js";

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
