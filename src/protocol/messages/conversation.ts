/**
 * `system` and `messages` as the conversation that chat templates know. Turns of the same role become one, as that API
 * has it. Results of tools stand before the text of their turn: templates want them right after the calls.
 *
 * A `system` turn within `messages` (Claude Code sends one after the first) goes into the user's turn, marked the way
 * Claude Code marks such text for services without them: many templates refuse system text after the beginning.
 */
import type { ChatMessage } from "../chat.js";
import { ServiceError } from "../errors.js";
import {
  array,
  atMost,
  nonEmptyArray,
  object,
  optional,
  required,
  string,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import {
  assistantContent,
  joined,
  plainText,
  textBlocks,
  userContent,
  type AssistantContent,
  type UserContent,
} from "./blocks.js";

/** A template is run over every message; a turn may hold several results, each of which is one. */
const maxTurns = 2048;
const maxMessages = 4096;

export function readConversation(body: JsonObject): ChatMessage[] {
  const { openings, messages } = required(body, "messages", turns);
  const system = joined([optional(body, "system", systemText) ?? "", ...openings]);
  return system === "" ? messages : [{ role: "system", content: system }, ...messages];
}

interface Turns {
  /** Texts of system turns before all others. */
  openings: string[];
  messages: ChatMessage[];
}

const turns: Reader<Turns> = (value, path) => {
  const items = atMost(maxTurns, nonEmptyArray(value, path), path);
  const openings: string[] = [];
  const conversation = new Conversation();
  for (const [index, item] of items.entries()) {
    const place = `${path}[${index}]`;
    const fields = object(item, place);
    switch (required(fields, "role", role, place)) {
      case "user":
        conversation.addUser(required(fields, "content", userContent, place));
        break;
      case "assistant":
        conversation.addAssistant(required(fields, "content", assistantContent, place));
        break;
      case "system": {
        const text = required(fields, "content", plainText, place);
        if (conversation.messages.length === 0) openings.push(text);
        else conversation.addUser({ text: asReminder(text), results: [] });
      }
    }
  }
  atMost(maxMessages, conversation.messages, path);
  if (conversation.messages.length === 0) {
    throw new ServiceError("invalid_value", {
      message: `Invalid value for '${path}': there are only system messages; expected one of the user's.`,
      param: path,
    });
  }
  return { openings, messages: conversation.messages };
};

class Conversation {
  readonly messages: ChatMessage[] = [];
  readonly #callIds = new Set<string>();

  addUser({ text, results }: UserContent): void {
    for (const { callId, content, path } of results) {
      if (!this.#callIds.has(callId)) {
        throw new ServiceError("invalid_value", {
          message: `Invalid value for '${path}': no assistant message before it has such a 'tool_use' block.`,
          param: path,
        });
      }
      this.messages.push({ role: "tool", content, toolCallId: callId });
    }
    if (text === null || (text === "" && results.length > 0)) return;
    const last = this.messages.at(-1);
    if (last?.role === "user") last.content = joined([last.content, text]);
    else this.messages.push({ role: "user", content: text });
  }

  addAssistant({ text, reasoning, calls }: AssistantContent): void {
    for (const { id } of calls) this.#callIds.add(id);
    const last = this.messages.at(-1);
    const before = last?.role === "assistant" ? last : undefined;
    if (before !== undefined) this.messages.pop();
    const thoughts = joined([before?.reasoning ?? "", reasoning]);
    const toolCalls = [...(before?.toolCalls ?? []), ...calls];
    this.messages.push({
      role: "assistant",
      content: joined([before?.content ?? "", text]),
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      ...(thoughts === "" ? {} : { reasoning: thoughts }),
    });
  }
}

const asReminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

const systemText: Reader<string> = (value, path) =>
  Array.isArray(value)
    ? joined(textBlocks(array(value, path), path).filter((text) => !isBilling(text)))
    : plainText(value, path);

/**
 * Claude Code's note to its own service. It is no instruction to a model, and as it changes from one request to the next,
 * nothing after it could be reused from the cache.
 */
const isBilling = (text: string): boolean => text.startsWith("x-anthropic-billing-header:");

const role: Reader<"user" | "assistant" | "system"> = (value, path) => {
  const name = string(value, path);
  if (name === "user" || name === "assistant" || name === "system") return name;
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': expected one of 'user', 'assistant' and 'system'.`,
    param: path,
  });
};
