/**
 * Reads a stream of the Messages API as strictly as its clients could: which event may follow which, the fields that
 * each must have, and what they add up to. Throws at the first event out of order.
 */
import type { ContentBlock, Message } from "../../../src/protocol/messages/response.js";

export interface ReadMessage {
  /** As the non-streamed reply would be. */
  message: Message;
  comments: number;
  /** Null for a stream that ended well. */
  error: { type: string; message: string } | null;
}

interface OpenBlock {
  block: ContentBlock;
  json: string;
}

type State = "nothing" | "between" | "block" | "delta" | "over";

export function readMessageStream(body: string): ReadMessage {
  const reader = new MessageReader();
  if (body.includes("\r")) throw new Error("Lines end in LF.");
  if (!body.endsWith("\n\n")) throw new Error("The last event is not complete.");
  for (const event of body.slice(0, -2).split("\n\n")) {
    if (event === ": keep-alive") {
      reader.comments += 1;
      continue;
    }
    const [, name, json] = /^event: (\w+)\ndata: (\{.*\})$/.exec(event) ?? [];
    if (name === undefined || json === undefined) throw new Error(`Not an event: ${event}`);
    const data = fieldsOf(JSON.parse(json));
    if (data.type !== name) throw new Error(`The event ${name} says it is ${String(data.type)}.`);
    reader.read(data);
  }
  return reader.result();
}

type Fields = Record<string, unknown>;

class MessageReader {
  comments = 0;
  #state: State = "nothing";
  #message: Message | undefined;
  #open: OpenBlock | undefined;
  #error: ReadMessage["error"] = null;

  read(event: Fields): void {
    if (event.type === "error") {
      this.#fail(event);
      return;
    }
    const step = `${this.#state} ${String(event.type)}`;
    switch (step) {
      case "nothing message_start":
        exactly(event, ["message", "type"]);
        this.#message = startOf(event.message);
        this.#state = "between";
        return;
      case "between content_block_start":
        exactly(event, ["content_block", "index", "type"]);
        this.#requireIndex(event, this.#content().length);
        this.#open = { block: emptyBlock(event.content_block), json: "" };
        this.#state = "block";
        return;
      case "block content_block_delta":
        exactly(event, ["delta", "index", "type"]);
        this.#requireIndex(event, this.#content().length);
        this.#add(fieldsOf(event.delta));
        return;
      case "block content_block_stop":
        exactly(event, ["index", "type"]);
        this.#requireIndex(event, this.#content().length);
        this.#close();
        this.#state = "between";
        return;
      case "between message_delta":
        exactly(event, ["delta", "type", "usage"]);
        this.#finish(fieldsOf(event.delta), fieldsOf(event.usage));
        this.#state = "delta";
        return;
      case "delta message_stop":
        exactly(event, ["type"]);
        this.#state = "over";
        return;
      default:
        throw new Error(`Out of order: ${step}`);
    }
  }

  result(): ReadMessage {
    if (this.#state !== "over") throw new Error(`The stream ended while ${this.#state}.`);
    const message = this.#message ?? startOf({});
    return { message, comments: this.comments, error: this.#error };
  }

  #fail(event: Fields): void {
    if (this.#state === "over") throw new Error("An error came after the end.");
    exactly(event, ["error", "type"]);
    const { type, message } = fieldsOf(event.error);
    if (typeof type !== "string" || typeof message !== "string")
      throw new Error("An error has a type and a message.");
    this.#error = { type, message };
    this.#message ??= { ...emptyMessage };
    this.#state = "over";
  }

  #content(): ContentBlock[] {
    if (this.#message === undefined) throw new Error("There is no message.");
    return this.#message.content;
  }

  #requireIndex({ index }: Fields, expected: number): void {
    if (index !== expected) throw new Error(`Index ${String(index)} instead of ${expected}.`);
  }

  #add({ type, ...delta }: Fields): void {
    const open = this.#open;
    const [kind, text, ...others] = [type, ...Object.values(delta)];
    if (open === undefined || others.length > 0 || typeof text !== "string" || text === "") {
      throw new Error("A delta brings some text to an open block.");
    }
    const { block } = open;
    if (block.type === "text" && kind === "text_delta") block.text += text;
    else if (block.type === "thinking" && kind === "thinking_delta") block.thinking += text;
    else if (block.type === "tool_use" && kind === "input_json_delta") open.json += text;
    else throw new Error(`A ${String(kind)} in a block of type ${block.type}.`);
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) throw new Error("No block is open.");
    const { block, json } = open;
    if (block.type === "tool_use" && json !== "") block.input = fieldsOf(JSON.parse(json));
    this.#content().push(block);
    this.#open = undefined;
  }

  #finish(delta: Fields, usage: Fields): void {
    exactly(delta, ["stop_reason", "stop_sequence"]);
    exactly(usage, usageFields);
    Object.assign(this.#message ?? {}, delta, { usage });
  }
}

const usageFields = [
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "input_tokens",
  "output_tokens",
  "output_tokens_details",
];

const emptyMessage: Message = {
  id: "",
  type: "message",
  role: "assistant",
  model: "",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
    output_tokens_details: { thinking_tokens: 0 },
  },
};

function startOf(value: unknown): Message {
  const fields = fieldsOf(value);
  exactly(fields, ["content", "id", "model", "role", "stop_reason", "stop_sequence", "type", "usage"]);
  const { id, model, content, stop_reason, stop_sequence } = fields;
  const isEmpty = Array.isArray(content) && content.length === 0;
  if (!isEmpty || stop_reason !== null || stop_sequence !== null) throw new Error("A message starts empty.");
  exactly(fieldsOf(fields.usage), usageFields);
  return { ...emptyMessage, content: [], id: String(id), model: String(model) };
}

function emptyBlock(value: unknown): ContentBlock {
  const { type, ...fields } = fieldsOf(value);
  switch (type) {
    case "text":
      exactly(fields, ["text"]);
      if (fields.text !== "") throw new Error("A block starts empty.");
      return { type, text: "" };
    case "thinking":
      exactly(fields, ["signature", "thinking"]);
      if (fields.thinking !== "") throw new Error("A block starts empty.");
      return { type, thinking: "", signature: String(fields.signature) };
    case "tool_use":
      exactly(fields, ["id", "input", "name"]);
      return { type, id: String(fields.id), name: String(fields.name), input: {} };
    default:
      throw new Error(`An unknown kind of block: ${String(type)}.`);
  }
}

function exactly(fields: Fields, names: readonly string[]): void {
  const found = Object.keys(fields).sort().join();
  if (found !== [...names].sort().join()) throw new Error(`The fields are ${found}, not ${names.join()}.`);
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("Not an object.");
  return { ...value };
}
