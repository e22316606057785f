/**
 * What an engine's failure means to our client. An engine's error message may quote the conversation, so it is
 * only classified here and goes no further: neither to the client nor to a log. The operator gets a code: the
 * HTTP status, the errno or TLS error of the connection, or one of ours.
 */
import { AddressError } from "../../adapters/address-policy.js";
import { imagesIn } from "../../core/chat/images.js";
import { type ErrorCode, ServiceError } from "../../core/errors.js";
import { isJson } from "../../core/is-json.js";
import type { Generation } from "../../core/serving/engine-port.js";

/** A failure of the engine, with its code for the operator. */
export class UpstreamError extends ServiceError {
  constructor(
    code: ErrorCode,
    readonly failureCode: string,
    retryAfterSeconds?: number,
  ) {
    super(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  }
}

/** The engine failed, is unreachable, or sent an invalid response. */
export const unavailable = (cause: string): UpstreamError =>
  new UpstreamError("engine_unavailable", cause, 2);

const codePattern = /^[A-Z0-9_]{2,40}$/;
const maxCauseDepth = 4;

/** The code of a connection error. Its message is not read. */
export function causeOf(error: unknown): string {
  if (error instanceof AddressError) return "ADDRESS_REFUSED";
  let inner = error;
  for (let depth = 0; depth < maxCauseDepth && inner instanceof Error; depth++) {
    if (inner instanceof UpstreamError) return inner.failureCode;
    if ("code" in inner && typeof inner.code === "string" && codePattern.test(inner.code)) return inner.code;
    if (inner.name === "TimeoutError") return "TIMED_OUT";
    inner = inner.cause;
  }
  return "CONNECTION_FAILED";
}

export const httpCause = (status: number): string => `HTTP_${status}`;

export function contextExceeded(contextTokens: number, promptTokens?: number): ServiceError {
  const limit =
    contextTokens > 0
      ? `This model's maximum context length is ${contextTokens} tokens.`
      : "This model's maximum context length is smaller than the prompt.";
  const actual = promptTokens === undefined ? "" : ` The messages have ${promptTokens} tokens.`;
  return new ServiceError("context_length_exceeded", {
    message: `${limit}${actual} Shorten the conversation.`,
    param: "messages",
  });
}

export interface FailedResponse {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

export function errorOfResponse(
  { status, retryAfter, body }: FailedResponse,
  contextTokens: number,
): ServiceError {
  if (status === 429 || status === 503) {
    return new UpstreamError("overloaded", httpCause(status), secondsOf(retryAfter));
  }
  if ((status === 400 || status === 413 || status === 422 || status === 500) && isAboutContext(body)) {
    return contextExceeded(contextTokens);
  }
  if (refusesTools({ status, body })) return new EngineRefusal(httpCause(status), "tools");
  // A success that is no stream, a redirect; the operator's key or model name is wrong; the engine failed. Another
  // member of a pool may do better.
  if (status < 400 || status >= 500 || status === 401 || status === 403 || status === 404)
    return unavailable(httpCause(status));
  return new EngineRefusal(httpCause(status));
}

/** The engine refuses our version of a request that is valid by our contract: usually a bug of ours. */
class EngineRefusal extends UpstreamError {
  constructor(
    cause: string,
    readonly refused: "tools" | null = null,
  ) {
    super("internal_error", cause);
  }
}

/** vLLM and llama-server, when they were started without tools; Ollama, of a model that cannot use them. */
const toolErrors =
  /--enable-auto-tool-choice|--tool-call-parser|tools? param requires --jinja|does not support tools/i;

/** It supports no tools at all. llama-server answers 500. */
export const refusesTools = ({ status, body }: Pick<FailedResponse, "status" | "body">): boolean =>
  (status === 400 || status === 500) && toolErrors.test(body);

/**
 * Only the engine knows whether it supports a schema, a bias or so many choices: where a request that has one of them
 * is refused, that is assumed to be the reason.
 */
export function explainRefusal(error: unknown, generation: Generation): unknown {
  if (!(error instanceof EngineRefusal)) return error;
  const { format, sampling, choices, tooling, reasoningEffort, isEffortImplied, rawPrompt } = generation;
  if (error.refused === "tools" && tooling !== undefined) {
    return new ServiceError("unsupported_parameter", {
      message: "The engine behind this model is not set up for 'tools'.",
      param: "tools",
    });
  }
  const invalidCall = pathOfInvalidCall(generation);
  const [image] = imagesIn(generation.messages);
  const suspect = [
    invalidCall === null ? [] : [invalidCall, "arguments that are not JSON"],
    // Of which only the first bytes were checked here.
    image === undefined ? [] : [image.path ?? "messages", "this image, or so many"],
    format.type === "json_schema" ? ["response_format.json_schema.schema", "this schema"] : [],
    sampling.logitBias.length > 0 ? ["logit_bias", "a bias for one of these tokens"] : [],
    tooling === undefined ? [] : ["tools", "one of these tools"],
    rawPrompt?.type === "infill" ? ["suffix", "a suffix"] : [],
    rawPrompt?.type === "tokens" ? ["prompt", "these tokens"] : [],
    choices > 1 ? ["n", "so many choices"] : [],
    format.type === "json_object" ? ["response_format", "this format"] : [],
    reasoningEffort === undefined || isEffortImplied === true ? [] : ["reasoning_effort", "this effort"],
  ].find((entry) => entry.length > 0);
  if (suspect === undefined) return error;
  const [param = "", what = ""] = suspect;
  return new ServiceError("invalid_value", {
    message: `Invalid value for '${param}': this model's engine does not take ${what}.`,
    param,
  });
}

/** Engines parse the arguments of earlier calls, which a reply that was cut short leaves unfinished. */
function pathOfInvalidCall({ messages }: Generation): string | null {
  for (const [index, { toolCalls = [] }] of messages.entries()) {
    const invalid = toolCalls.findIndex((call) => call.arguments.trim() !== "" && !isJson(call.arguments));
    if (invalid >= 0) return `messages[${index}].tool_calls[${invalid}].function.arguments`;
  }
  return null;
}

/** An error event in a stream that began as a success. */
export function errorOfEvent(data: string, contextTokens: number): ServiceError {
  return isAboutContext(data) ? contextExceeded(contextTokens) : unavailable("ERROR_EVENT");
}

/** vLLM, SGLang, llama-server, Ollama and Sotto, in this order; llama-server again, of a text to embed. */
const contextErrors =
  /maximum context length|context_length_exceeded|longer than the model|exceed_context_size|available context size|exceeds? (?:the )?(?:maximum|available|model'?s) context|too large to process/i;

export const isAboutContext = (text: string): boolean => contextErrors.test(text);

const defaultRetrySeconds = 5;
const maxRetrySeconds = 59;

/** `Retry-After` is seconds or a date. Bounded, since clients wait for as long as it says. */
function secondsOf(header: string | undefined): number {
  if (header === undefined) return defaultRetrySeconds;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  if (!Number.isFinite(seconds)) return defaultRetrySeconds;
  return Math.min(maxRetrySeconds, Math.max(1, Math.ceil(seconds)));
}
