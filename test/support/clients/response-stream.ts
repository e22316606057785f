/**
 * Follows a stream of `/v1/responses` as a state machine and puts the reply together from its pieces. Whatever comes
 * out of order, with another field or number than it must have, or differs from what the pieces add up to, throws.
 */
import { isDeepStrictEqual } from "node:util";
import { eventShape, type Item, type ResponseEvent, type ResponseShape } from "./response-shapes.js";

export interface FollowedResponse {
  /** The types of the events, in order. */
  types: ResponseEvent["type"][];
  /** Of the last event; null where the stream was cut before it. */
  response: ResponseShape | null;
  /** As far as they came. */
  items: Item[];
  comments: number;
}

/** `cut`: the connection ended early, so what is there must be right but need not be all. */
export function followResponse(body: string, cut = false): FollowedResponse {
  const { events, comments } = parse(body, cut);
  const follower = new Follower();
  for (const event of events) follower.take(event);
  if (!cut) follower.requireEnd();
  const { response, items } = follower;
  return { types: events.map(({ type }) => type), response, items, comments };
}

function parse(body: string, cut: boolean): { events: ResponseEvent[]; comments: number } {
  require(!body.includes("\r"), "lines end in LF");
  require(cut || body.endsWith("\n\n"), "the last event is complete");
  let comments = 0;
  const events: ResponseEvent[] = [];
  for (const text of body.split("\n\n").slice(0, -1)) {
    if (text === ": keep-alive") {
      comments += 1;
      continue;
    }
    const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(text) ?? [];
    require(name !== undefined &&
      data !== undefined, "an event is a line with its name and one with its data");
    const event = eventShape.parse(JSON.parse(data ?? ""));
    require(event.type === name, "the name of an event is its type");
    events.push(event);
  }
  return { events, comments };
}

type Place =
  | "nothing"
  | "created"
  | "between items"
  | "item opened"
  | "part opened"
  | "text done"
  | "part done"
  | "arguments done"
  | "ended";

class Follower {
  response: ResponseShape | null = null;
  readonly items: Item[] = [];
  #place: Place = "nothing";
  #sequence = 0;
  #first: ResponseShape | null = null;
  /** Of the open item: the pieces of a summary stand among those of its content. */
  #summary: "none" | "opened" | "text done" = "none";

  take(event: ResponseEvent): void {
    require(event.sequence_number === this.#sequence, "events are numbered from 0 without gaps");
    this.#sequence += 1;
    if ("response" in event) this.#takeState(event.type, event.response);
    else if ("item" in event) this.#takeItem(event.type, event.output_index, event.item);
    else if ("summary_index" in event) this.#takeSummary(event);
    else this.#takePiece(event);
  }

  requireEnd(): void {
    this.#expect("ended");
  }

  #takeState(type: ResponseEvent["type"], response: ResponseShape): void {
    this.#first ??= response;
    require(isDeepStrictEqual(
      constantOf(response),
      constantOf(this.#first),
    ), "what is known from the start stays");
    if (type === "response.created") this.#move(["nothing"], "created");
    else if (type === "response.in_progress") this.#move(["created"], "between items");
    else this.#end(type, response);
    if (this.#place !== "ended") {
      const { status, output, usage, error, incomplete_details } = response;
      const isNew = isDeepStrictEqual(
        [status, output, usage, error, incomplete_details],
        ["in_progress", [], undefined, null, null],
      );
      require(isNew, "a response begins with nothing");
    }
  }

  #end(type: ResponseEvent["type"], response: ResponseShape): void {
    const isFailed = type === "response.failed";
    const anywhere: Place[] = ["item opened", "part opened", "text done", "part done", "arguments done"];
    this.#move(isFailed ? ["between items", ...anywhere] : ["between items"], "ended");
    require(`response.${response.status}` === type, "the last event says how it ended");
    require((response.error !== null) === isFailed, "only a failed response has an error");
    require((response.usage === undefined) === isFailed, "a response has its usage at the end");
    const isCut = response.status === "incomplete";
    require((response.incomplete_details !== null) === isCut, "only an incomplete response says why");
    const last = this.items.at(-1);
    if (isFailed && last?.status === "in_progress") last.status = "incomplete";
    require(isFailed || last !== undefined, "a reply has an item");
    const allButLast = this.items.slice(0, -1).every(({ status }) => status === "completed");
    require(allButLast, "only the last item may be incomplete");
    if (!isFailed)
      require((last?.status === "incomplete") === isCut, "its last item ends as the response does");
    require(isDeepStrictEqual(response.output, this.items), "the response is what its pieces add up to");
    this.response = response;
  }

  #takeItem(type: ResponseEvent["type"], index: number, item: Item): void {
    if (type === "response.output_item.added") {
      this.#move(["between items"], "item opened");
      require(index === this.items.length, "items are numbered in order");
      require(item.status === "in_progress", "an item begins in progress");
      const isEmpty = "content" in item ? item.content.length === 0 : item.arguments === "";
      if ("summary" in item) require(item.summary.length === 0, "an item begins empty");
      require(isEmpty, "an item begins empty");
      require(!this.items.some(({ id }) => id === item.id), "every item has an id of its own");
      this.items.push(structuredClone(item));
      return;
    }
    const open = this.#open(index, item.id);
    this.#move([open.type === "function_call" ? "arguments done" : "part done"], "between items");
    require(this.#summary === "none", "a summary ends with its item");
    require(item.status !== "in_progress", "an item ends");
    open.status = item.status;
    require(isDeepStrictEqual(open, item), "an item is what its pieces add up to");
  }

  #takeSummary(event: Extract<ResponseEvent, { summary_index: unknown }>): void {
    const open = this.#open(event.output_index, event.item_id);
    if (open.type !== "reasoning") throw new Error("Only reasoning has a summary.");
    const [part] = open.summary;
    switch (event.type) {
      case "response.reasoning_summary_part.added":
        require(part === undefined && this.#summary === "none", "there is one summary");
        require(event.part.text === "", "a summary begins empty");
        open.summary.push(event.part);
        this.#summary = "opened";
        return;
      case "response.reasoning_summary_text.delta":
        if (part === undefined || this.#summary !== "opened") throw new Error("There is no open summary.");
        part.text += event.delta;
        return;
      case "response.reasoning_summary_text.done":
        require(this.#summary === "opened" &&
          event.text === part?.text, "a summary is what its deltas add up to");
        this.#summary = "text done";
        return;
      case "response.reasoning_summary_part.done":
        require(this.#summary === "text done" &&
          isDeepStrictEqual(event.part, part), "a summary is what its deltas add up to");
        this.#summary = "none";
    }
  }

  #takePiece(
    event: Exclude<ResponseEvent, { response: unknown } | { item: unknown } | { summary_index: unknown }>,
  ): void {
    const open = this.#open(event.output_index, event.item_id);
    if ("content_index" in event) require(event.content_index === 0, "there is one part");
    const part = "content" in open ? open.content[0] : undefined;
    switch (event.type) {
      case "response.content_part.added":
        this.#move(["item opened"], "part opened");
        require(event.part.text === "", "a part begins empty");
        if (open.type === "message" && event.part.type === "output_text") open.content.push(event.part);
        else if (open.type === "reasoning" && event.part.type === "reasoning_text")
          open.content.push(event.part);
        else throw new Error("The part does not fit its item.");
        return;
      case "response.output_text.delta":
        this.#expect("part opened");
        if (part?.type !== "output_text") throw new Error("There is no text to add to.");
        part.text += event.delta;
        part.logprobs.push(...event.logprobs);
        return;
      case "response.reasoning_text.delta":
        this.#expect("part opened");
        if (part?.type !== "reasoning_text") throw new Error("There is no reasoning to add to.");
        part.text += event.delta;
        return;
      case "response.output_text.done":
      case "response.reasoning_text.done":
        this.#move(["part opened"], "text done");
        require(event.text === part?.text, "the text is what its deltas add up to");
        return;
      case "response.content_part.done":
        this.#move(["text done"], "part done");
        require(isDeepStrictEqual(event.part, part), "a part is what its deltas add up to");
        return;
      case "response.function_call_arguments.delta":
        this.#expect("item opened");
        if (open.type !== "function_call") throw new Error("There is no call to add to.");
        open.arguments += event.delta;
        return;
      case "response.function_call_arguments.done":
        this.#move(["item opened"], "arguments done");
        if (open.type !== "function_call") throw new Error("There is no call that ends.");
        require(event.name === open.name, "a call keeps its name");
        require(event.arguments === open.arguments, "the arguments are what their deltas add up to");
    }
  }

  #open(index: number, id: string): Item {
    const item = this.items.at(-1);
    if (item === undefined || this.#place === "between items") throw new Error("There is no open item.");
    require(index === this.items.length - 1 && id === item.id, "an event is about the item that is open");
    return item;
  }

  #expect(place: Place): void {
    require(this.#place === place, `it is at "${place}", not "${this.#place}"`);
  }

  #move(from: Place[], to: Place): void {
    require(from.includes(this.#place), `"${to}" does not follow "${this.#place}"`);
    this.#place = to;
  }
}

/** What does not change from the first event to the last. */
function constantOf(response: ResponseShape): object {
  const changing = { status: null, output: null, usage: undefined, error: null, incomplete_details: null };
  return { ...response, ...changing };
}

function require(holds: boolean, promise: string): void {
  if (!holds) throw new Error(`Broken promise: ${promise}.`);
}
