/** The wire shapes of a whole reply, and those that it shares with the chunks of a stream. */
import type { FinishReason, ReplyChoice, ReplyLogprob, Usage } from "../../core/chat/reply.js";
import type { ChatRequest } from "../../core/chat/request.js";
import { wireUsage } from "../chat-completions/response.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";
import { type LegacyLogprobs, LogprobWriter } from "./logprobs.js";

export interface TextChoice<Finish> {
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
export function echoOf({ chat, echoes }: ParsedRequest, choice: number): string {
  const prompt = echoes === true ? promptOf(chat, choice) : undefined;
  if (prompt?.type === "text") return prompt.text;
  return prompt?.type === "infill" ? prompt.prefix : "";
}

function promptOf({ rawPrompt, morePrompts = [], choices }: ChatRequest, choice: number) {
  const place = Math.floor(choice / choices);
  return place === 0 ? rawPrompt : morePrompts[place - 1];
}
