/** One choice of a reply, put together from its events. */
import type { ChoicePart, FinishReason, ReplyChoice } from "../chat/reply.js";
import { isJson } from "../is-json.js";
import type { GenerationEvent } from "./engine-port.js";

type ChoiceEvent = Extract<GenerationEvent, { choice: number }>;

export class ChoiceFold {
  readonly #parts: ChoicePart[] = [];
  #finishReason: FinishReason | undefined;
  #stopSequence: string | undefined;
  #result: Pick<ReplyChoice, "vectors" | "scores"> = {};

  add(event: ChoiceEvent): void {
    const last = this.#parts.at(-1);
    switch (event.type) {
      case "text": {
        const { text, logprobs = [] } = event;
        if (text === "" && logprobs.length === 0) return;
        if (last?.type !== "text") this.#parts.push({ type: "text", text, logprobs: [...logprobs] });
        else {
          last.text += text;
          last.logprobs.push(...logprobs);
        }
        return;
      }
      case "reasoning":
        if (last?.type === "reasoning") last.text += event.text;
        else if (event.text !== "") this.#parts.push({ type: "reasoning", text: event.text });
        return;
      case "call":
        this.#parts.push({ type: "call", id: event.id, name: event.name, arguments: "" });
        return;
      case "arguments":
        if (last?.type === "call") last.arguments += event.text;
        return;
      case "vectors":
        this.#result = { vectors: event.vectors };
        return;
      case "scores":
        this.#result = { scores: event.scores };
        return;
      case "finished":
        this.#finishReason = event.finishReason;
        this.#stopSequence = event.stopSequence;
    }
  }

  whole(): ReplyChoice {
    if (this.#finishReason === undefined) throw new Error("Every choice ends with its reason.");
    return {
      parts: this.#finishReason === "length" ? this.#parts.filter(isNotCut) : this.#parts,
      finishReason: this.#finishReason,
      ...this.#result,
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
    };
  }
}

/** Arguments are always JSON, and half a call must not be run. */
const isNotCut = (part: ChoicePart): boolean => part.type !== "call" || isJson(part.arguments);
