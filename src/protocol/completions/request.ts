/**
 * From the JSON body of `POST /v1/completions` to a request with raw prompts. The order of the statements is the
 * contract's order of errors: `model`, then `prompt`, with the `suffix` before which it may be empty, then the other
 * fields. Unknown fields are ignored.
 */
import type { RawPrompt } from "../../core/chat/request.js";
import {
  choiceCount,
  readFullSampling,
  readIncludeUsage,
  stops,
  tokenCount,
} from "../chat-completions/request.js";
import type { ParsedRequest } from "../dialect.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { neutralRequest } from "../sampling.js";

/** They run one after the other, and the last one's client waits for all of them. */
const maxPrompts = 32;
/** OpenAI's own. */
const defaultMaxTokens = 16;
const alternatives = json.integer(0, 5);
const tokenNumber = json.integer(0, 2 ** 31 - 1);

export function parseCompletionRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", json.nonEmptyString);
  const suffix = readSuffix(body);
  const prompts = json.required(
    body,
    "prompt",
    suffix === undefined ? readPrompts(json.nonEmptyString) : readPrompts(json.string),
  );
  const sampling = readFullSampling(body);
  const maxTokens = json.optional(body, "max_tokens", tokenCount) ?? defaultMaxTokens;
  const stop = json.optional(body, "stop", stops) ?? [];
  const stream = json.optional(body, "stream", json.boolean) ?? false;
  const includeUsage = readIncludeUsage(body, stream);
  const choices = json.optional(body, "n", choiceCount) ?? 1;
  requireBestOf(body, choices);
  const topLogprobs = json.optional(body, "logprobs", alternatives);
  const echoes = readEcho(body, prompts, topLogprobs);
  const [rawPrompt, ...morePrompts] = suffix === undefined ? prompts : prompts.map(infillWith(suffix));
  return {
    chat: {
      ...neutralRequest,
      model,
      messages: [],
      ...(rawPrompt === undefined ? {} : { rawPrompt }),
      ...(morePrompts.length === 0 ? {} : { morePrompts }),
      sampling,
      stop,
      maxTokens,
      choices,
      topLogprobs,
      stream,
      includeUsage,
    },
    ...(echoes ? { echoes } : {}),
  };
}

/** Text, tokens, or an array of either. */
const readPrompts =
  (text: Reader<string>): Reader<RawPrompt[]> =>
  (value, path) => {
    if (typeof value === "string") return [{ type: "text", text: text(value, path) }];
    if (!Array.isArray(value))
      throw json.wrongType(path, "a string, an array of strings or an array of tokens", value);
    const items = json.nonEmptyArray(value, path);
    if (typeof items[0] === "number") return [{ type: "tokens", tokens: readTokens(items, path) }];
    return json.atMost(maxPrompts, items, path).map((item, index): RawPrompt => {
      const at = `${path}[${index}]`;
      if (!Array.isArray(items[0])) return { type: "text", text: text(item, at) };
      return { type: "tokens", tokens: readTokens(json.nonEmptyArray(item, at), at) };
    });
  };

/** There may be hundreds of thousands: the place of one is written only where it is wrong. */
function readTokens(items: readonly unknown[], path: string): number[] {
  const isToken = (item: unknown): item is number =>
    typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 2 ** 31;
  return items.map((item, index) => (isToken(item) ? item : tokenNumber(item, `${path}[${index}]`)));
}

/** Editors send an empty one at the end of a file: there is nothing to fill in then, only to continue. */
function readSuffix(body: JsonObject): string | undefined {
  const suffix = json.optional(body, "suffix", json.string);
  return suffix === "" ? undefined : suffix;
}

const infillWith =
  (suffix: string) =>
  (prompt: RawPrompt): RawPrompt => {
    if (prompt.type === "text") return { type: "infill", prefix: prompt.text, suffix };
    throw json.unsupportedParameter("suffix", "It needs a 'prompt' of text, not of tokens.");
  };

/** Candidates that are generated and dropped would be charged and not seen. */
function requireBestOf(body: JsonObject, choices: number): void {
  const bestOf = json.optional(body, "best_of", tokenCount);
  if (bestOf === undefined || bestOf === choices) return;
  throw json.unsupportedValue("best_of", "every choice is returned, so it must equal 'n'");
}

function readEcho(body: JsonObject, prompts: readonly RawPrompt[], topLogprobs: number | undefined): boolean {
  const echoes = json.optional(body, "echo", json.boolean) ?? false;
  if (!echoes) return false;
  if (topLogprobs !== undefined) {
    const reason = "Log probabilities of a prompt are not computed: leave out 'echo' or 'logprobs'.";
    throw json.unsupportedParameter("echo", reason);
  }
  if (prompts.some(({ type }) => type === "tokens")) {
    throw json.unsupportedParameter("echo", "It needs a 'prompt' of text, not of tokens.");
  }
  return true;
}
