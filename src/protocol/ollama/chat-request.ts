/** From the JSON body of `POST /api/chat` to a `ChatRequest`. Without messages it only asks for the model to be loaded. */
import type { ParsedRequest } from "../dialect.js";
import type { JsonObject } from "../read-json.js";
import * as json from "../read-json.js";
import { readTooling } from "../chat-completions/tools.js";
import { imageSizes } from "../images.js";
import { readMessages } from "./messages.js";
import { modelName } from "./model-name.js";
import { readCommon } from "./options.js";

export function readChatRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", modelName);
  const messages = json.optional(body, "messages", readMessages) ?? [];
  refuseTemplate(body);
  const chat = { model, messages, ...readCommon(body), tooling: readTooling(body) };
  return messages.length > 0 ? { chat, ...imageSizes(messages, "messages") } : loading({ chat });
}

/** A prompt must have a message; this one is never generated from. */
export const loading = ({ chat }: ParsedRequest): ParsedRequest => ({
  chat: { ...chat, messages: [{ role: "user", content: "" }], stream: false },
  loadsOnly: true,
});

export function refuseTemplate(body: JsonObject): void {
  if ((json.optional(body, "template", json.string) ?? "") === "") return;
  const reason = "Models have the template that their operator chose. To write the whole prompt, use 'raw'.";
  throw json.unsupportedParameter("template", reason);
}
