/** One choice of a reply, put together from its events. */
import type { FinishReason, ReplyLogprob, ToolCall } from "../../protocol/chat.js";
import type { ReplyChoice } from "../../protocol/dialect.js";
import type { GenerationEvent } from "../ports.js";

type ChoiceEvent = Extract<GenerationEvent, { choice: number }>;

export class ChoiceFold {
  #text = "";
  #reasoning = "";
  readonly #calls: ToolCall[] = [];
  #finishReason: FinishReason | undefined;
  #stopSequence: string | undefined;
  readonly #logprobs: ReplyLogprob[] | null;

  constructor(withLogprobs: boolean) {
    this.#logprobs = withLogprobs ? [] : null;
  }

  add(event: ChoiceEvent): void {
    switch (event.type) {
      case "text":
        this.#text += event.text;
        this.#logprobs?.push(...(event.logprobs ?? []));
        return;
      case "reasoning":
        this.#reasoning += event.text;
        return;
      case "call":
        this.#calls.push({ id: event.id, name: event.name, arguments: "" });
        return;
      case "arguments": {
        const last = this.#calls.at(-1);
        if (last !== undefined) last.arguments += event.text;
        return;
      }
      case "finished":
        this.#finishReason = event.finishReason;
        this.#stopSequence = event.stopSequence;
    }
  }

  whole(): ReplyChoice {
    if (this.#finishReason === undefined) throw new Error("Every choice ends with its reason.");
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      calls: this.#finishReason === "length" ? wholeCalls(this.#calls) : this.#calls,
      finishReason: this.#finishReason,
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
      logprobs: this.#logprobs,
    };
  }
}

/** Without the last call where it was cut: arguments are always JSON, and half a call must not be run. */
function wholeCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  const last = calls.at(-1);
  return last === undefined || isJson(last.arguments) ? calls : calls.slice(0, -1);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
