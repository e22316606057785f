/** The wire shapes of a reply, whole and in the chunks of a stream. */
import type { FinishReason, ReplyChoice, ReplyEvent, ReplyLogprob, Usage } from "../../core/chat/reply.js";
import type { ChatRequest } from "../../core/chat/request.js";
import { wireUsage, type WireUsage } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead, StreamWriter } from "../dialect.js";
import { errorBody } from "../error-body.js";
import { completionsError } from "./errors.js";

interface TextChoice<Finish> {
  index: number;
  text: string;
  logprobs: LegacyLogprobs | null;
  finish_reason: Finish;
}

export function textCompletion(
  { id, created, model }: ReplyHead,
  request: ParsedRequest,
  choices: readonly ReplyChoice[],
  usage: Usage,
): object {
  return {
    id,
    object: "text_completion",
    created,
    model,
    choices: choices.map((choice, index) => textChoice(choice, index, request)),
    usage: wireUsage(usage),
  };
}

function textChoice(choice: ReplyChoice, index: number, request: ParsedRequest): TextChoice<FinishReason> {
  let text = echoOf(request, index);
  const logprobs: ReplyLogprob[] = [];
  for (const part of choice.parts) {
    if (part.type !== "text") continue;
    text += part.text;
    logprobs.push(...part.logprobs);
  }
  const isWanted = request.chat.topLogprobs !== undefined;
  return {
    index,
    text,
    logprobs: isWanted ? new LogprobWriter().write(logprobs) : null,
    finish_reason: choice.finishReason,
  };
}

/** The prompt before the choice, where that was asked for. */
function echoOf({ chat, echoes }: ParsedRequest, choice: number): string {
  const prompt = echoes === true ? promptOf(chat, choice) : undefined;
  if (prompt?.type === "text") return prompt.text;
  return prompt?.type === "infill" ? prompt.prefix : "";
}

function promptOf({ rawPrompt, morePrompts = [], choices }: ChatRequest, choice: number) {
  const place = Math.floor(choice / choices);
  return place === 0 ? rawPrompt : morePrompts[place - 1];
}

interface TextCompletionChunk {
  id: string;
  object: "text_completion";
  created: number;
  model: string;
  choices: [TextChoice<FinishReason | null>] | [];
  /** Only where the client asked for it: null on every chunk but the last. */
  usage?: WireUsage | null;
}

export function completionWriter(head: Readonly<ReplyHead>, request: ParsedRequest): StreamWriter {
  const { includeUsage } = request.chat;
  const chunk = (choices: TextCompletionChunk["choices"]): TextCompletionChunk => ({
    id: head.id,
    object: "text_completion",
    created: head.created,
    model: head.model,
    choices,
    ...(includeUsage ? { usage: null } : {}),
  });
  const begun = new Set<number>();
  /** What stands before the text of a choice. */
  const beginningOf = (choice: number): string => {
    if (begun.has(choice)) return "";
    begun.add(choice);
    return echoOf(request, choice);
  };
  const writers = new Map<number, LogprobWriter>();
  const logprobsOf = ({ choice, logprobs }: Extract<ReplyEvent, { type: "text" }>) => {
    if (logprobs === undefined) return null;
    const writer = writers.get(choice) ?? new LogprobWriter();
    writers.set(choice, writer);
    return writer.write(logprobs);
  };
  const chunksOf = (event: ReplyEvent): TextCompletionChunk[] => {
    switch (event.type) {
      case "text": {
        const text = beginningOf(event.choice) + event.text;
        const logprobs = logprobsOf(event);
        if (text === "" && logprobs === null) return [];
        return [chunk([{ index: event.choice, text, logprobs, finish_reason: null }])];
      }
      case "finished": {
        const { choice, finishReason } = event;
        return [
          chunk([{ index: choice, text: beginningOf(choice), logprobs: null, finish_reason: finishReason }]),
        ];
      }
      case "done":
        return includeUsage ? [{ ...chunk([]), usage: wireUsage(event.usage) }] : [];
      case "reasoning":
      case "call":
      case "arguments":
        // A reply to a raw prompt has none.
        return [];
    }
  };
  return {
    write: (event) => chunksOf(event).map((data) => ({ data })),
    end: () => [{ data: "[DONE]" }],
    fail: (error) => [{ data: errorBody(completionsError(error)) }],
  };
}

/** Log probabilities in the shape of this API: four lists side by side. */
interface LegacyLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** The likeliest at this place, and the one that stands there. */
  top_logprobs: Record<string, number>[];
  /** Where the token begins in the text, in characters as Python counts them. */
  text_offset: number[];
}

/** Of one choice: offsets go on from chunk to chunk. */
class LogprobWriter {
  #characters = 0;

  write(logprobs: readonly ReplyLogprob[]): LegacyLogprobs {
    return {
      tokens: logprobs.map(({ token }) => token),
      token_logprobs: logprobs.map(({ logprob }) => logprob),
      top_logprobs: logprobs.map((entry) =>
        Object.fromEntries([...entry.top, entry].map(({ token, logprob }) => [token, logprob])),
      ),
      text_offset: logprobs.map(({ bytes }) => this.#offsetOf(bytes)),
    };
  }

  /** By bytes: a token may be part of a character, and then begins where that one does. */
  #offsetOf(bytes: readonly number[]): number {
    const [first] = bytes;
    const continues = first !== undefined && isContinuation(first);
    const offset = continues ? Math.max(0, this.#characters - 1) : this.#characters;
    this.#characters += bytes.filter((byte) => !isContinuation(byte)).length;
    return offset;
  }
}

/** A byte of UTF-8 that does not begin a character. */
const isContinuation = (byte: number): boolean => byte >> 6 === 0b10;
