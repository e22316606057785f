/**
 * Tools for a model whose chat template knows none: the functions are listed in the system text, and the reply is one
 * JSON object, which a grammar holds: `{"reply": "…"}` or `{"calls": [{"name": "…", "arguments": {…}}]}`. Earlier
 * replies and results stand in the conversation in the same form.
 */
import type { ChatMessage, Tool } from "../../../../core/chat/request.js";
import { callsText, type TextualSyntax } from "../../../formats/replies/write-calls.js";
import { argumentsObject, namesOfCalls, templateTools } from "./template-messages.js";

export function withGenericTools(messages: readonly ChatMessage[], tools: readonly Tool[]): ChatMessage[] {
  const replies = tools.length === 0 ? undefined : (reply: string) => JSON.stringify({ reply });
  const written = withWrittenCalls(messages, { type: "generic", reasoning: null }, replies);
  return tools.length === 0 ? written : withSystemText(written, `${listOf(tools)}\n${howToAnswer}`);
}

/** For a template that leaves out earlier calls: they stand in the text, as the model would have written them. */
export function withWrittenCalls(
  messages: readonly ChatMessage[],
  syntax: TextualSyntax,
  replyText = (reply: string) => reply,
): ChatMessage[] {
  const names = namesOfCalls(messages);
  return messages.map(({ role, content, toolCalls = [], toolCallId }): ChatMessage => {
    if (toolCallId !== undefined) {
      return { role: "user", content: `Result of ${names.get(toolCallId) ?? "the call"}: ${content}` };
    }
    if (role !== "assistant") return { role, content };
    if (toolCalls.length === 0) return { role, content: replyText(content) };
    const calls = toolCalls.map((call) => ({
      name: call.name,
      arguments: argumentsObject(call) ?? call.arguments,
    }));
    const text = callsText(syntax, calls);
    // In our own form a reply is one JSON object, which has no place for text beside calls.
    return { role, content: syntax.type === "generic" ? text : content + text };
  });
}

/** The functions in the system text, and nothing about how to call them: that the model knows. */
export const withToolText = (messages: readonly ChatMessage[], tools: readonly Tool[]): ChatMessage[] =>
  withSystemText(messages, listOf(tools));

function withSystemText(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: text }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${text}` }, ...rest];
}

function listOf(tools: readonly Tool[]): string {
  const listed = templateTools(tools).map((tool) => JSON.stringify(tool.function));
  return ["You can call these functions:", ...listed].join("\n");
}

const howToAnswer =
  'Answer with one JSON object. To call functions: {"calls": [{"name": "...", "arguments": {...}}]}. ' +
  'To reply to the user: {"reply": "..."}. Call a function only when it helps to answer.';
