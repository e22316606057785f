/**
 * `system` and `messages` as the conversation that chat templates know. Turns of the same role become one, as that API
 * has it. Results of tools stand right after the turn that called, whatever the client sent before them: templates and
 * engines refuse any other order.
 *
 * A `system` turn within `messages` (Claude Code sends one after the first) goes into the user's turn, marked the way
 * Claude Code marks such text for services without them: many templates refuse system text after the beginning.
 */
import type { ChatMessage } from "../../core/chat/request.js";
import { joinContents } from "../content.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
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
  const { openings, messages } = json.required(body, "messages", turns);
  const system = joined([json.optional(body, "system", systemText) ?? "", ...openings]);
  return system === "" ? messages : [{ role: "system", content: system }, ...messages];
}

interface Turns {
  /** Texts of system turns before all others. */
  openings: string[];
  messages: ChatMessage[];
}

const turns: Reader<Turns> = (value, path) => {
  const items = json.atMost(maxTurns, json.nonEmptyArray(value, path), path);
  const openings: string[] = [];
  const conversation = new Conversation();
  for (const [index, item] of items.entries()) {
    const place = `${path}[${index}]`;
    const fields = json.object(item, place);
    switch (json.required(fields, "role", role, place)) {
      case "user":
        conversation.addUser(json.required(fields, "content", userContent, place));
        break;
      case "assistant":
        conversation.addAssistant(json.required(fields, "content", assistantContent, place));
        break;
      case "system": {
        const text = json.required(fields, "content", plainText, place);
        if (conversation.isEmpty) openings.push(text);
        else conversation.addUser({ said: { content: asReminder(text) }, results: [] });
      }
    }
  }
  if (conversation.isEmpty) {
    throw json.invalidValue(path, "there are only system messages; expected one of the user's");
  }
  const { messages } = conversation;
  json.atMost(maxMessages, messages, path);
  return { openings, messages };
};

interface Turn {
  message: ChatMessage;
  /** Of the calls in the message. */
  results: ChatMessage[];
}

class Conversation {
  readonly #turns: Turn[] = [];
  /** The turn of each call, the latest by id. */
  readonly #callers = new Map<string, Turn>();

  get messages(): ChatMessage[] {
    return this.#turns.flatMap(({ message, results }) => [message, ...results]);
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  addUser({ said, results }: UserContent): void {
    for (const { callId, path, ...result } of results) {
      const caller = this.#callers.get(callId);
      if (caller === undefined) {
        throw json.invalidValue(path, "no assistant message before it has such a 'tool_use' block");
      }
      caller.results.push({ role: "tool", ...result, toolCallId: callId });
    }
    if (said === null || (said.content === "" && results.length > 0)) return;
    const last = this.#turns.at(-1)?.message;
    if (last?.role === "user") Object.assign(last, joinContents(last, said));
    else this.#turns.push({ message: { role: "user", ...said }, results: [] });
  }

  addAssistant({ text, reasoning, calls }: AssistantContent): void {
    const turn = this.#assistantTurn();
    const { message } = turn;
    message.content = joined([message.content, text]);
    if (calls.length > 0) message.toolCalls = [...(message.toolCalls ?? []), ...calls];
    const allReasoning = joined([message.reasoning ?? "", reasoning]);
    if (allReasoning !== "") message.reasoning = allReasoning;
    for (const { id } of calls) this.#callers.set(id, turn);
  }

  /** Continues the last turn, unless its calls have results. */
  #assistantTurn(): Turn {
    const last = this.#turns.at(-1);
    if (last?.message.role === "assistant" && last.results.length === 0) return last;
    const turn: Turn = { message: { role: "assistant", content: "" }, results: [] };
    this.#turns.push(turn);
    return turn;
  }
}

const asReminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

const systemText: Reader<string> = (value, path) =>
  Array.isArray(value)
    ? joined(textBlocks(json.array(value, path), path).filter((text) => !isBilling(text)))
    : plainText(value, path);

/**
 * Claude Code's note to its own service. It is no instruction to a model, and as it changes from one request to the
 * next, nothing after it could be reused from the cache.
 */
const isBilling = (text: string): boolean => text.startsWith("x-anthropic-billing-header:");

const role = json.oneOf("user", "assistant", "system");
