/** The items of a reply on the wire. */
import type { WireLogprob } from "../chat-completions/response.js";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface OutputMessage {
  id: string;
  type: "message";
  status: ItemStatus;
  role: "assistant";
  content: ReturnType<typeof outputText>[];
}

export interface OutputReasoning {
  id: string;
  type: "reasoning";
  status: ItemStatus;
  /** The reasoning itself where a summary was requested: there is no shorter one. Otherwise empty. */
  summary: ReturnType<typeof summaryText>[];
  content: ReturnType<typeof reasoningText>[];
}

export interface OutputCall {
  id: string;
  type: "function_call";
  status: ItemStatus;
  call_id: string;
  name: string;
  /** Of a function that was offered in one. */
  namespace?: string;
  arguments: string;
}

/** A summary in place of the conversation, sealed for its account. */
export interface OutputCompaction {
  id: string;
  type: "compaction";
  encrypted_content: string;
}

export type OutputItem = OutputMessage | OutputReasoning | OutputCall | OutputCompaction;

const prefixes = { message: "msg_", reasoning: "rs_", function_call: "fc_", compaction: "cmp_" };

/** Of the item at this place of the reply. */
export const itemId = (type: OutputItem["type"], responseId: string, index: number): string =>
  `${prefixes[type]}${responseId.replace(/^resp_/, "")}${index}`;

export const outputText = (text: string, logprobs: WireLogprob[] = []) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs,
});

export const reasoningText = (text: string) => ({ type: "reasoning_text", text });

export const summaryText = (text: string) => ({ type: "summary_text", text });

/** Without what is never read back: log probabilities and the summary. */
export function keptItem(item: OutputItem): OutputItem {
  switch (item.type) {
    case "message":
      return { ...item, content: item.content.map(({ text }) => outputText(text)) };
    case "reasoning":
      return { ...item, summary: [] };
    case "function_call":
    case "compaction":
      return item;
  }
}
