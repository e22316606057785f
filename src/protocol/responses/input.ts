/**
 * `input`: the conversation so far. What an assistant said, thought and called are items of their own there, and one
 * turn in a chat: all of its items between those of anyone else are joined.
 */
import type { ChatMessage } from "../../core/chat/request.js";
import { maxMessages } from "../chat-completions/messages.js";
import type { ServiceError } from "../../core/errors.js";
import {
  atMost,
  invalidValue,
  nonEmptyArray,
  object,
  string,
  unsupportedValue,
  wrongType,
  type Reader,
} from "../read-json.js";
import { readForeign } from "./foreign-items.js";
import { readOwnItem, typeOf, type InputItem } from "./items.js";

const itemTypes = "'message', 'function_call', 'function_call_output', 'reasoning' and 'item_reference'";

/** An item, and where it stands. */
export interface PlacedItem {
  item: InputItem;
  path: string;
}

/** A conversation whose messages are not known before what it refers to is found. */
export interface Unresolved {
  items: readonly PlacedItem[];
  instructions: string | undefined;
}

export const readInput: Reader<readonly PlacedItem[]> = (value, path) => {
  if (typeof value === "string") {
    return [{ item: { type: "said", role: "user", text: string(value, path) }, path }];
  }
  if (!Array.isArray(value)) throw wrongType(path, "a string or an array of items", value);
  return nonEmptyArray(value, path).flatMap((item, index) => readItem(item, `${path}[${index}]`));
};

export const refersToItems = (items: readonly PlacedItem[]): boolean =>
  items.some(({ item }) => item.type === "referred");

/** Mostly one; none of what says nothing to a model. */
const readItem: Reader<readonly PlacedItem[]> = (value, path) => {
  const fields = object(value, path);
  const type = typeOf(fields, path);
  const own = readOwnItem(type, fields, path);
  const read = own === undefined ? readForeign(type, fields, path) : [own];
  if (read !== undefined) return read.map((item) => ({ item, path }));
  throw unsupportedValue(`${path}.type`, `expected one of ${itemTypes}`);
};

export interface Lookups {
  /** What the model calls a function of a namespace. */
  nameOf: (namespace: string, name: string) => string;
  /** An item of an earlier reply as it was sent; undefined where it is not there. */
  recall?: (id: string) => unknown;
}

export function messagesOf(items: readonly PlacedItem[], lookups: Lookups): readonly ChatMessage[] {
  const turns = new Turns(lookups);
  for (const { item, path } of items) turns.add(item, path);
  turns.end();
  if (turns.messages.length > 0) return atMost(maxMessages, turns.messages, "input");
  throw invalidValue("input", "expected at least one message");
}

/** Templates expect one system message, and some ignore any but the first. */
export function withInstructions(
  instructions: string | undefined,
  messages: readonly ChatMessage[],
): ChatMessage[] {
  const leading = messages.findIndex(({ role }) => role !== "system");
  const split = leading === -1 ? messages.length : leading;
  const texts = messages.slice(0, split).map(({ content }) => content);
  const system = instructions === undefined ? texts : [instructions, ...texts];
  const rest = messages.slice(split);
  return system.length === 0 ? rest : [{ role: "system", content: system.join("\n\n") }, ...rest];
}

const notKept = (path: string): ServiceError =>
  invalidValue(
    `${path}.id`,
    "no such item is in this server's memory. Items of replies are kept there for ten minutes at most and nowhere " +
      "else. Set 'store: false', which makes clients send the items themselves, or use chat completions ('.chat()' " +
      "in the AI SDK)",
  );

class Turns {
  readonly messages: ChatMessage[] = [];
  readonly #callIds = new Set<string>();
  /** The assistant's, while it lasts. */
  #turn: ChatMessage | null = null;
  /** Thoughts come before what they led to; without that they have no turn to belong to. */
  #thoughts: string[] = [];
  /** Where a message is referred to that is not there. */
  #missing: string | null = null;
  readonly #referred = new Set<string>();

  constructor(private readonly lookups: Lookups) {}

  add(item: InputItem, path: string): void {
    switch (item.type) {
      case "referred":
        this.#refer(item.id, path);
        return;
      case "thought":
        if (item.text !== "") this.#thoughts.push(item.text);
        return;
      case "called": {
        // What was said before a call is dispensable: the turn still says what matters. Agents of the AI SDK refer to it.
        this.#missing = null;
        const turn = this.#assistant();
        const { call, namespace } = item;
        const name = namespace === undefined ? call.name : this.lookups.nameOf(namespace, call.name);
        turn.toolCalls = [...(turn.toolCalls ?? []), { ...call, name }];
        this.#callIds.add(call.id);
        return;
      }
      case "answered":
        this.#requireCalled(item.callId, path);
        this.#push({ role: "tool", content: item.text, toolCallId: item.callId });
        return;
      case "said": {
        if (item.role !== "assistant") {
          this.#push({ role: item.role, content: item.text });
          return;
        }
        this.end();
        const turn = this.#assistant();
        turn.content = [turn.content, item.text].filter((text) => text !== "").join("\n\n");
      }
    }
  }

  /** Throws where a message is missing that nothing stands in for. */
  end(): void {
    if (this.#missing !== null) throw notKept(this.#missing);
  }

  #refer(id: string, path: string): void {
    // Each once: a short request must not become an endless prompt.
    if (this.#referred.has(id)) {
      throw invalidValue(`${path}.id`, "an item before it refers to the same");
    }
    this.#referred.add(id);
    const kept = this.lookups.recall?.(id);
    if (kept !== undefined) {
      for (const { item } of readItem(kept, path)) this.add(item, path);
      return;
    }
    // A turn still says what matters without its thoughts.
    if (id.startsWith("rs_")) return;
    if (!id.startsWith("msg_")) throw notKept(path);
    this.#missing ??= path;
  }

  #push(message: ChatMessage): void {
    this.end();
    this.#turn = null;
    this.#thoughts = [];
    this.messages.push(message);
  }

  #assistant(): ChatMessage {
    const turn: ChatMessage = this.#turn ?? { role: "assistant", content: "" };
    if (this.#turn === null) this.messages.push(turn);
    this.#turn = turn;
    if (this.#thoughts.length > 0) {
      const earlier = turn.reasoning === undefined ? [] : [turn.reasoning];
      turn.reasoning = [...earlier, ...this.#thoughts].join("\n\n");
      this.#thoughts = [];
    }
    return turn;
  }

  #requireCalled(callId: string, path: string): void {
    if (this.#callIds.has(callId)) return;
    throw invalidValue(`${path}.call_id`, "no 'function_call' item before it has this call");
  }
}
