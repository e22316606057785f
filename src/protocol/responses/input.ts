/**
 * `input`: the conversation so far. What an assistant said, thought and called are items of their own there, and one
 * turn in a chat: all of its items between those of anyone else are joined.
 */
import type { ChatMessage } from "../chat.js";
import { maxMessages } from "../chat-completions/messages.js";
import { ServiceError } from "../errors.js";
import { atMost, nonEmptyArray, string, wrongType, type Reader } from "../read-json.js";
import { nothingStored, readItem, type InputItem } from "./items.js";

export const readInput: Reader<readonly ChatMessage[]> = (value, path) => {
  if (typeof value === "string") return [{ role: "user", content: string(value, path) }];
  if (!Array.isArray(value)) throw wrongType(path, "a string or an array of items", value);
  const turns = new Turns();
  for (const [index, item] of nonEmptyArray(value, path).entries()) {
    const place = `${path}[${index}]`;
    turns.add(readItem(item, place), place);
  }
  turns.end();
  if (turns.messages.length > 0) return atMost(maxMessages, turns.messages, path);
  throw new ServiceError("invalid_value", {
    message: `Invalid value for '${path}': expected at least one message.`,
    param: path,
  });
};

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

class Turns {
  readonly messages: ChatMessage[] = [];
  readonly #callIds = new Set<string>();
  /** The assistant's, while it lasts. */
  #turn: ChatMessage | null = null;
  /** Thoughts come before what they led to; without that they have no turn to belong to. */
  #thoughts: string[] = [];
  /** Where a message is referred to that is not there. */
  #missing: string | null = null;

  add(item: InputItem, path: string): void {
    switch (item.type) {
      case "referred":
        this.#missing ??= path;
        return;
      case "thought":
        if (item.text !== "") this.#thoughts.push(item.text);
        return;
      case "called": {
        // What was said before a call is dispensable: the turn still says what matters. Agents of the AI SDK refer to it.
        this.#missing = null;
        const turn = this.#assistant();
        turn.toolCalls = [...(turn.toolCalls ?? []), item.call];
        this.#callIds.add(item.call.id);
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
    if (this.#missing !== null) throw nothingStored(this.#missing);
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
    throw new ServiceError("invalid_value", {
      message: `Invalid value for '${path}.call_id': no 'function_call' item before it has this call.`,
      param: `${path}.call_id`,
    });
  }
}
