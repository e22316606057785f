/**
 * The events of a streamed response. Items follow one another: each is opened, grows, and is closed before the next.
 * The first events go out with the first piece of the reply and not before, since until then an error can be a status.
 * A response that is not streamed is the one in the last event.
 */
import type { FinishReason, ReplyChoice, ReplyEvent, ReplyLogprob, Usage } from "../../core/chat/reply.js";
import { wireLogprob } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead, StreamWriter, WireEvent } from "../dialect.js";
import type { ServiceError } from "../../core/errors.js";
import { compactionItem } from "./compaction.js";
import { responsesError } from "./errors.js";
import { nameOnWire } from "./namespaces.js";
import {
  itemId,
  keptItem,
  outputText,
  reasoningText,
  summaryText,
  type ItemStatus,
  type OutputCall,
  type OutputItem,
  type OutputMessage,
  type OutputReasoning,
} from "./output.js";
import { finished, inProgress, responseObject, type ResponseState } from "./response.js";

export function responseEventWriter(head: Readonly<ReplyHead>, request: ParsedRequest): StreamWriter {
  const events = new ResponseEvents(head, request);
  return {
    write: (event) => {
      events.add(event);
      return events.take();
    },
    end: () => [],
    fail: (error) => {
      events.fail(error);
      return events.take();
    },
  };
}

export function wholeResponse(
  head: Readonly<ReplyHead>,
  request: ParsedRequest,
  { parts, finishReason }: ReplyChoice,
  usage: Usage,
): object {
  const events = new ResponseEvents(head, request);
  for (const part of parts) {
    if (part.type === "call") {
      events.add({ type: "call", choice: 0, call: 0, id: part.id, name: part.name });
      events.add({ type: "arguments", choice: 0, call: 0, text: part.arguments });
    } else events.add({ ...part, choice: 0 });
  }
  events.add({ type: "finished", choice: 0, finishReason });
  events.add({ type: "done", usage });
  return events.response;
}

/** The part of an item's content that grows: there is one. */
const content_index = 0;
const summary_index = 0;

class ResponseEvents {
  /** As far as it has come. */
  response: object = {};
  readonly #output: OutputItem[] = [];
  #open: OutputItem | null = null;
  #finishReason: FinishReason = "stop";
  #hasBegun = false;
  #sequence = 0;
  #ready: WireEvent[] = [];
  /** What the model wrote, where it is sent sealed. */
  #summary = "";

  constructor(
    private readonly head: Readonly<ReplyHead>,
    private readonly request: ParsedRequest,
  ) {}

  /** What is to be written since the last time. */
  take(): WireEvent[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  add(event: ReplyEvent): void {
    if (this.request.compaction !== undefined && event.type !== "done") {
      this.#compact(event);
      return;
    }
    switch (event.type) {
      case "text":
        if (event.text !== "" || event.logprobs !== undefined) this.#text(event.text, event.logprobs ?? []);
        return;
      case "reasoning":
        if (event.text !== "") this.#reasoning(event.text);
        return;
      case "call":
        this.#openCall(event.id, event.name);
        return;
      case "arguments":
        if (event.text !== "") this.#arguments(event.text);
        return;
      case "finished":
        this.#finish(event.finishReason);
        return;
      case "done":
        this.#complete(event.usage);
    }
  }

  fail(error: ServiceError): void {
    this.#begin();
    // Items are not closed: what is missing of them never came.
    if (this.#open !== null && this.#open.type !== "compaction") this.#open.status = "incomplete";
    const { code, message } = responsesError(error);
    const state: ResponseState = {
      ...inProgress,
      status: "failed",
      output: this.#output,
      error: { code, message },
    };
    this.#writeState("response.failed", state);
  }

  /** Nothing is sent before the summary is whole. However it ended, it is all there is. */
  #compact(event: ReplyEvent): void {
    if (event.type === "text") this.#summary += event.text;
    if (event.type === "finished") this.#openItem(compactionItem(this.head, this.#summary, 0));
    this.#close("completed");
  }

  // ------------------------------------------------------------------------------------------- growing items

  #text(delta: string, logprobs: readonly ReplyLogprob[]): void {
    const item = this.#open?.type === "message" ? this.#open : this.#openMessage();
    const [part] = item.content;
    if (part === undefined) return;
    const tokens = logprobs.map(wireLogprob);
    part.text += delta;
    for (const token of tokens) part.logprobs.push(token);
    this.#writeAt("response.output_text.delta", item, { content_index, delta, logprobs: tokens });
  }

  #reasoning(delta: string): void {
    const item = this.#open?.type === "reasoning" ? this.#open : this.#openReasoning();
    const [part] = item.content;
    if (part === undefined) return;
    for (const summary of item.summary) {
      summary.text += delta;
      this.#writeAt("response.reasoning_summary_text.delta", item, { summary_index, delta });
    }
    part.text += delta;
    this.#writeAt("response.reasoning_text.delta", item, { content_index, delta });
  }

  #arguments(delta: string): void {
    const item = this.#open;
    if (item?.type !== "function_call") return;
    item.arguments += delta;
    this.#writeAt("response.function_call_arguments.delta", item, { delta });
  }

  // ------------------------------------------------------------------------------------------- opening items

  #openMessage(): OutputMessage {
    const item: OutputMessage = {
      id: "",
      type: "message",
      status: "in_progress",
      role: "assistant",
      content: [],
    };
    this.#openItem(item);
    const part = outputText("");
    this.#writeAt("response.content_part.added", item, { content_index, part: outputText("") });
    item.content.push(part);
    return item;
  }

  #openReasoning(): OutputReasoning {
    const item: OutputReasoning = {
      id: "",
      type: "reasoning",
      status: "in_progress",
      summary: [],
      content: [],
    };
    this.#openItem(item);
    if (this.request.showsSummary === true) {
      this.#writeAt("response.reasoning_summary_part.added", item, { summary_index, part: summaryText("") });
      item.summary.push(summaryText(""));
    }
    this.#writeAt("response.content_part.added", item, { content_index, part: reasoningText("") });
    item.content.push(reasoningText(""));
    return item;
  }

  #openCall(callId: string, name: string): void {
    const item: OutputCall = {
      id: "",
      type: "function_call",
      status: "in_progress",
      call_id: callId,
      ...nameOnWire(this.request.callNames ?? [], name),
      arguments: "",
    };
    this.#openItem(item);
  }

  #openItem(item: OutputItem): void {
    this.#begin();
    this.#close("completed");
    item.id = itemId(item.type, this.head.id, this.#output.length);
    this.#output.push(item);
    this.#open = item;
    this.#writeItem("response.output_item.added", item);
  }

  #close(status: ItemStatus): void {
    const item = this.#open;
    if (item === null) return;
    switch (item.type) {
      case "message":
        for (const part of item.content) {
          const { text, logprobs } = part;
          this.#writeAt("response.output_text.done", item, { content_index, text, logprobs });
          this.#writeAt("response.content_part.done", item, { content_index, part });
        }
        break;
      case "reasoning":
        for (const part of item.summary) {
          const { text } = part;
          this.#writeAt("response.reasoning_summary_text.done", item, { summary_index, text });
          this.#writeAt("response.reasoning_summary_part.done", item, { summary_index, part });
        }
        for (const part of item.content) {
          this.#writeAt("response.reasoning_text.done", item, { content_index, text: part.text });
          this.#writeAt("response.content_part.done", item, { content_index, part });
        }
        break;
      case "function_call": {
        const { name, arguments: text } = item;
        this.#writeAt("response.function_call_arguments.done", item, { name, arguments: text });
        break;
      }
      case "compaction":
        break;
    }
    if (item.type !== "compaction") item.status = status;
    this.#open = null;
    this.#writeItem("response.output_item.done", item);
  }

  // ------------------------------------------------------------------------------------------- the response

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#writeState("response.created", inProgress);
    this.#writeState("response.in_progress", inProgress);
  }

  #finish(reason: FinishReason): void {
    this.#finishReason = reason;
    const hasReply = this.#output.some(({ type }) => type !== "reasoning");
    // A reply has a message, be it empty, unless it was cut off while reasoning.
    const wasCutReasoning = this.#output.length > 0 && reason === "length";
    if (!hasReply && !wasCutReasoning) this.#openMessage();
    this.#close(reason === "length" ? "incomplete" : "completed");
  }

  #complete(usage: Usage): void {
    this.head.keep?.(this.#output.map(keptItem));
    const state = finished(this.#finishReason, this.#output, usage);
    this.#writeState(state.status === "incomplete" ? "response.incomplete" : "response.completed", state);
  }

  // ------------------------------------------------------------------------------------------- writing

  #writeState(type: string, state: ResponseState): void {
    this.response = responseObject(this.head, this.request, state);
    this.#write(type, { response: this.response });
  }

  #writeItem(type: string, item: OutputItem): void {
    // A copy: it grows before it is written.
    const lists = {
      ...("content" in item ? { content: [...item.content] } : {}),
      ...("summary" in item ? { summary: [...item.summary] } : {}),
    };
    this.#write(type, { output_index: this.#output.length - 1, item: { ...item, ...lists } });
  }

  #writeAt(type: string, item: OutputItem, fields: object): void {
    this.#write(type, { item_id: item.id, output_index: this.#output.length - 1, ...fields });
  }

  #write(type: string, fields: object): void {
    this.#ready.push({ name: type, data: { type, sequence_number: this.#sequence, ...fields } });
    this.#sequence += 1;
  }
}
