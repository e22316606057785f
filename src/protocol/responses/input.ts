/**
 * `input`: the conversation so far. An assistant's messages, reasoning and calls are separate items there and one
 * turn in a chat: consecutive items of the assistant are joined.
 */
import type { ChatMessage } from "../../core/chat/request.js";
import { maxMessages } from "../chat-completions/messages.js";
import type { Content } from "../content.js";
import type { ServiceError } from "../../core/errors.js";
import type { Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { readForeign } from "./foreign-items.js";
import { readOwnItem, typeOf, type InputItem, type ItemContent, type PlacedItem } from "./items.js";
import { summaryMessage } from "./summaries.js";

const itemTypes = "'message', 'function_call', 'function_call_output', 'reasoning' and 'item_reference'";

/** A conversation whose messages are known once its items are recalled and its summaries opened. */
export interface Unresolved {
  items: readonly PlacedItem[];
  instructions: string | undefined;
}

export const readInput: Reader<readonly PlacedItem[]> = (value, path) => {
  if (typeof value === "string") {
    return [{ item: { type: "message", role: "user", text: json.string(value, path) }, path }];
  }
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of items", value);
  return json.each(json.nonEmptyArray(value, path), path, readItem).flat();
};

/** Whether its messages are known only once items are recalled or summaries opened. */
export const refersElsewhere = (items: readonly PlacedItem[]): boolean =>
  items.some(({ item }) => item.type === "reference" || item.type === "summary");

/** Usually one; none for items that have no meaning to a model. */
const readItem: Reader<readonly PlacedItem[]> = (value, path) => {
  const fields = json.object(value, path);
  const type = typeOf(fields, path);
  const own = readOwnItem(type, fields, path);
  const read = own === undefined ? readForeign(type, fields, path) : [own];
  if (read !== undefined) return read.map((item) => ({ item, path }));
  throw json.unsupportedValue(`${path}.type`, `expected one of ${itemTypes}`);
};

/** What a conversation may refer to. */
export interface ItemLookups {
  /** An item of an earlier reply as it was sent; undefined where it is not there. */
  recall: (id: string) => unknown;
  /** A summary that was sealed for the account; null where it cannot be opened. */
  open: (summary: string) => string | null;
}

export interface Lookups extends Partial<ItemLookups> {
  /** What the model calls a function of a namespace. */
  nameOf: (namespace: string, name: string) => string;
}

export function messagesOf(items: readonly PlacedItem[], lookups: Lookups): readonly ChatMessage[] {
  const turns = new Turns(lookups);
  for (const { item, path } of items) turns.add(item, path);
  turns.end();
  if (turns.messages.length > 0) return json.atMost(maxMessages, turns.messages, "input");
  throw json.invalidValue("input", "expected at least one message");
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

const contentOf = ({ text, parts }: ItemContent): Content =>
  parts === undefined ? { content: text } : { content: text, parts };

const notKept = (path: string): ServiceError =>
  json.invalidValue(
    `${path}.id`,
    "no such item is in this server's memory. Items of replies are kept there for ten minutes at most and nowhere " +
      "else. Set 'store: false', which makes clients send the items themselves, or use chat completions ('.chat()' " +
      "in the AI SDK)",
  );

const maxSummaries = 16;

class Turns {
  readonly messages: ChatMessage[] = [];
  readonly #callIds = new Set<string>();
  /** The assistant's, until anyone else's item. */
  #turn: ChatMessage | null = null;
  /** Of the turn that follows. Without one, it is dropped. */
  #reasoning: string[] = [];
  /** The path of a reference to a message that is not kept. */
  #missing: string | null = null;
  readonly #resolved = new Set<string>();
  #summaries = 0;

  constructor(private readonly lookups: Lookups) {}

  add(item: InputItem, path: string): void {
    switch (item.type) {
      case "reference":
        this.#resolve(item.id, path);
        return;
      case "reasoning":
        if (item.text !== "") this.#reasoning.push(item.text);
        return;
      case "call": {
        // The text before a call is dispensable. Agents of the AI SDK refer to it.
        this.#missing = null;
        const turn = this.#assistant();
        const { call, namespace } = item;
        const name = namespace === undefined ? call.name : this.lookups.nameOf(namespace, call.name);
        turn.toolCalls = [...(turn.toolCalls ?? []), { ...call, name }];
        this.#callIds.add(call.id);
        return;
      }
      case "output":
        this.#requireCalled(item.callId, path);
        this.#push({ role: "tool", ...contentOf(item), toolCallId: item.callId });
        return;
      case "summary":
        this.#push(summaryMessage(this.#opened(item.sealed, path)));
        return;
      case "message": {
        if (item.role !== "assistant") {
          this.#push({ role: item.role, ...contentOf(item) });
          return;
        }
        this.end();
        const turn = this.#assistant();
        turn.content = [turn.content, item.text].filter((text) => text !== "").join("\n\n");
      }
    }
  }

  /** Throws where a message is missing and no call follows it. */
  end(): void {
    if (this.#missing !== null) throw notKept(this.#missing);
  }

  /** Some at most: each costs as much time as a long text. A client sends one. */
  #opened(sealed: string, path: string): string {
    this.#summaries += 1;
    if (this.#summaries > maxSummaries) {
      throw json.invalidValue(path, `there are too many summaries: expected at most ${maxSummaries}`);
    }
    const summary = this.lookups.open?.(sealed) ?? null;
    if (summary !== null) return summary;
    throw json.invalidValue(
      `${path}.encrypted_content`,
      "this summary is damaged, or was made for another account or service. Send the conversation itself",
    );
  }

  #resolve(id: string, path: string): void {
    // Each once: a short request must not expand to an endless prompt.
    if (this.#resolved.has(id)) {
      throw json.invalidValue(`${path}.id`, "an item before it refers to the same");
    }
    this.#resolved.add(id);
    const kept = this.lookups.recall?.(id);
    if (kept !== undefined) {
      for (const { item } of readItem(kept, path)) this.add(item, path);
      return;
    }
    // A turn is complete without its reasoning.
    if (id.startsWith("rs_")) return;
    if (!id.startsWith("msg_")) throw notKept(path);
    this.#missing ??= path;
  }

  #push(message: ChatMessage): void {
    this.end();
    this.#turn = null;
    this.#reasoning = [];
    this.messages.push(message);
  }

  #assistant(): ChatMessage {
    const turn: ChatMessage = this.#turn ?? { role: "assistant", content: "" };
    if (this.#turn === null) this.messages.push(turn);
    this.#turn = turn;
    if (this.#reasoning.length > 0) {
      const earlier = turn.reasoning === undefined ? [] : [turn.reasoning];
      turn.reasoning = [...earlier, ...this.#reasoning].join("\n\n");
      this.#reasoning = [];
    }
    return turn;
  }

  #requireCalled(callId: string, path: string): void {
    if (this.#callIds.has(callId)) return;
    throw json.invalidValue(`${path}.call_id`, "no 'function_call' item before it has this call");
  }
}
