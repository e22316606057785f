/**
 * What an engine's failure means to our client. An engine's own words may quote the conversation, so they are
 * looked at here, for what kind of failure they tell of, and go no further: neither to the client nor to a log.
 */
import type { Generation } from "../../core/ports.js";
import { ServiceError } from "../../protocol/errors.js";
import { isJson } from "./json-value.js";

/** The engine failed, is away, or answered with what no engine should. */
export const unavailable = (): ServiceError =>
  new ServiceError("engine_unavailable", { retryAfterSeconds: 2 });

export function contextExceeded(contextTokens: number, promptTokens?: number): ServiceError {
  const limit =
    contextTokens > 0
      ? `This model's maximum context length is ${contextTokens} tokens.`
      : "This model's maximum context length is smaller than the prompt.";
  const came = promptTokens === undefined ? "" : ` The messages have ${promptTokens} tokens.`;
  return new ServiceError("context_length_exceeded", {
    message: `${limit}${came} Shorten the conversation.`,
    param: "messages",
  });
}

export interface FailedResponse {
  status: number;
  retryAfter: string | undefined;
  /** The beginning of the body. */
  body: string;
}

export function errorOfResponse(
  { status, retryAfter, body }: FailedResponse,
  contextTokens: number,
): ServiceError {
  if (status === 429 || status === 503) {
    return new ServiceError("overloaded", { retryAfterSeconds: secondsOf(retryAfter) });
  }
  if ((status === 400 || status === 413 || status === 422 || status === 500) && tellsOfContext(body)) {
    return contextExceeded(contextTokens);
  }
  if (refusesTools({ status, body })) return new EngineRefusal("tools");
  // A success that is no stream, a redirect; the operator's key or model name is wrong; the engine failed. Another
  // member of a pool may do better.
  if (status < 400 || status >= 500 || status === 401 || status === 403 || status === 404)
    return unavailable();
  return new EngineRefusal();
}

/** The engine refuses what we made of a request that is right by our contract: a fault on our side, as a rule. */
class EngineRefusal extends ServiceError {
  constructor(readonly told: "tools" | null = null) {
    super("internal_error");
  }
}

/** vLLM and llama-server, when they were started without; Ollama, of a model that cannot. */
const toolMarks =
  /--enable-auto-tool-choice|--tool-call-parser|tools? param requires --jinja|does not support tools/i;

/** It cannot take tools, whatever they are. llama-server says so with 500. */
export const refusesTools = ({ status, body }: Pick<FailedResponse, "status" | "body">): boolean =>
  (status === 400 || status === 500) && toolMarks.test(body);

/**
 * Whether an engine can follow a schema, a bias or so many choices is known to the engine alone: where a request
 * has one of them and is refused, that is taken for the reason.
 */
export function explainRefusal(error: unknown, generation: Generation): unknown {
  if (!(error instanceof EngineRefusal)) return error;
  const { format, sampling, choices, tooling, reasoningEffort } = generation;
  if (error.told === "tools" && tooling !== undefined) {
    return new ServiceError("unsupported_parameter", {
      message: "The engine behind this model is not set up for 'tools'.",
      param: "tools",
    });
  }
  const brokenCall = placeOfBrokenCall(generation);
  const doubtful = [
    brokenCall === null ? [] : [brokenCall, "arguments that are not JSON"],
    format.type === "json_schema" ? ["response_format.json_schema.schema", "this schema"] : [],
    sampling.logitBias.length > 0 ? ["logit_bias", "a bias for one of these tokens"] : [],
    tooling === undefined ? [] : ["tools", "one of these tools"],
    choices > 1 ? ["n", "so many choices"] : [],
    format.type === "json_object" ? ["response_format", "this format"] : [],
    reasoningEffort === undefined ? [] : ["reasoning_effort", "this effort"],
  ].find((entry) => entry.length > 0);
  if (doubtful === undefined) return error;
  const [param = "", what = ""] = doubtful;
  return new ServiceError("invalid_value", {
    message: `Invalid value for '${param}': this model's engine does not take ${what}.`,
    param,
  });
}

/** Engines read the arguments of earlier calls, which a reply that was cut short leaves unfinished. */
function placeOfBrokenCall({ messages }: Generation): string | null {
  for (const [index, { toolCalls = [] }] of messages.entries()) {
    const broken = toolCalls.findIndex((call) => call.arguments.trim() !== "" && !isJson(call.arguments));
    if (broken >= 0) return `messages[${index}].tool_calls[${broken}].function.arguments`;
  }
  return null;
}

/** An error event in a stream that began as a success. */
export function errorOfEvent(data: string, contextTokens: number): ServiceError {
  return tellsOfContext(data) ? contextExceeded(contextTokens) : unavailable();
}

/** vLLM, SGLang, llama-server, Ollama and Sotto, in this order. */
const contextMarks =
  /maximum context length|context_length_exceeded|longer than the model|exceed_context_size|available context size|exceeds? (?:the )?(?:maximum|available|model'?s) context/i;

const tellsOfContext = (text: string): boolean => contextMarks.test(text);

const usualRetrySeconds = 5;
const longestRetrySeconds = 59;

/** `Retry-After` is seconds or a date. A wild value is bounded: clients sleep for whatever they are told. */
function secondsOf(header: string | undefined): number {
  if (header === undefined) return usualRetrySeconds;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  if (!Number.isFinite(seconds)) return usualRetrySeconds;
  return Math.min(longestRetrySeconds, Math.max(1, Math.ceil(seconds)));
}
