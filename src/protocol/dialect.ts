/**
 * A dialect is one API for completions: how its requests are parsed, and how replies and errors are written.
 * Everything between (keys, limits, queue, engines, usage, cancellation) is the same for all of them, and knows
 * `ChatRequest` and `ReplyEvent` only.
 */
import type { KeptItem, ReplyChoice, ReplyEvent, Usage } from "../core/chat/reply.js";
import type { ChatRequest } from "../core/chat/request.js";
import type { ServiceError } from "../core/errors.js";
import type { HostedTool } from "./hosted-tools.js";
import type { JsonObject } from "./read-json.js";
import type { ItemLookups, Unresolved } from "./responses/input.js";
import type { CallName } from "./responses/namespaces.js";

/** A request as its dialect read it. It crosses threads, so it holds data only. */
export interface ParsedRequest {
  chat: ChatRequest;
  /** Fields of the reply that repeat the request, as they go on the wire. */
  echo?: Readonly<JsonObject>;
  /** Tools of the request that cannot be called here. */
  hosted?: readonly HostedTool[];
  /** Functions that the client knows by a namespace and a name. */
  callNames?: readonly CallName[];
  /** Whether reasoning is also sent as its own summary. */
  showsSummary?: boolean;
  /** Whether a later request may refer to the items of the reply. */
  keepsItems?: boolean;
  /** How vectors are written. */
  vectorEncoding?: "float" | "base64";
  /** How many documents the reply lists, and whether with their text. */
  ranking?: { topN: number; returnsDocuments: boolean };
  /** Whether each choice begins with its prompt. */
  echoes?: boolean;
  /** Characters of all images; absent without any. */
  imageChars?: number;
  /** Nothing is to be generated: the model is loaded, and the reply is empty. */
  loadsOnly?: boolean;
  /** The reply is a summary in place of the conversation, beside these texts of its user. */
  compaction?: { kept: readonly string[] };
  /**
   * A conversation that refers to items of earlier replies, or has sealed summaries. Until `Dialect.resolve`, `chat` has
   * no messages.
   */
  unresolved?: Unresolved;
}

/**
 * What all parts of a reply share. The model is as sent where there is none by that name; tokens are 0 until
 * admission.
 */
export interface ReplyHead {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  /** As counted before the run. */
  promptTokens: number;
  /** Takes the items of a reply that is complete; absent where they are not kept. */
  keep?: (items: readonly KeptItem[]) => void;
  /** Seals a summary for the account, which keeps it. */
  seal?: (summary: string) => string;
  /** How long it has taken so far. */
  times?: () => ReplyTimes;
}

/** Durations in milliseconds, one after the other. */
export interface ReplyTimes {
  /** Until its turn came: reading the request, loading the model, waiting. */
  beforeMs: number;
  /** Until its first token. */
  promptMs: number;
  /** Since then. */
  replyMs: number;
}

export type StreamFormatName = "server-sent-events" | "json-lines";

/** One event of a stream. */
export interface WireEvent {
  /** Written as its `event:` line, if given, in server-sent events. */
  name?: string;
  /** Text goes out as it is: `[DONE]`, or JSON of what is sent too often to be serialized each time. */
  data: object | string;
}

/** Writes one streamed reply. */
export interface StreamWriter {
  /** What goes out for this event; may be nothing. Until something has gone out, an error can still be a status. */
  write(event: ReplyEvent): WireEvent[];
  /** After the last event of a reply that is complete. */
  end(): WireEvent[];
  /** The last of a reply that broke off, possibly before anything was written. */
  fail(error: ServiceError): WireEvent[];
}

export interface Dialect {
  /** Of the ids of its replies. */
  readonly idPrefix: string;
  /** What becomes of images on a model that reads text only, unless a setting says otherwise. Absent: it has none. */
  readonly images?: "refuse" | "omit";
  /** Server-sent events unless it says otherwise. */
  readonly streamFormat?: StreamFormatName;
  /** Throws the `ServiceError` that names the invalid field. */
  read(body: unknown): ParsedRequest;
  /**
   * Puts items of earlier replies where the conversation refers to them, and summaries in the clear. Throws the
   * `ServiceError` that names what cannot be found or opened.
   */
  resolve?(request: ParsedRequest, lookups: ItemLookups): ParsedRequest;
  /** A text is JSON already: one that takes so long to write that other requests get turns meanwhile. */
  reply(
    head: ReplyHead,
    request: ParsedRequest,
    choices: readonly ReplyChoice[],
    usage: Usage,
  ): object | Promise<string>;
  /** The head changes once, on admission: read it when something is written. */
  stream(head: Readonly<ReplyHead>, request: ParsedRequest): StreamWriter;
  /** The body of an error response, with the API's own names of fields. `requestId` is for those that repeat it. */
  error(error: ServiceError, requestId: string): object;
}
