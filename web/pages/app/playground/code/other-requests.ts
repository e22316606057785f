/**
 * The playground's request in the format of the other two APIs. Settings without a matching field are omitted, and
 * listed in `missing`.
 */
import { isObject } from "../../../../../src/protocol/read-json.js";
import type { ChatBody, SentMessage } from "../../../../service/chat-stream.ts";
import type { RequestFields } from "../request-code.ts";

export interface OtherRequest {
  fields: RequestFields;
  missing: string[];
}

/** That API requires a length. */
const defaultMaxTokens = 1024;

export function asResponses(body: ChatBody): OtherRequest {
  const { model, messages, temperature, top_p, max_tokens, tools, tool_choice, reasoning_effort } = body;
  const instructions = systemOf(messages);
  return {
    fields: {
      model,
      ...(instructions === "" ? {} : { instructions }),
      input: messages.flatMap(itemsOf),
      ...given({ temperature, top_p, max_output_tokens: max_tokens }),
      ...(tools === undefined
        ? {}
        : { tools: tools.map((tool) => ({ type: "function", ...functionOf(tool) })) }),
      ...given({ tool_choice: flatChoice(tool_choice) }),
      ...(reasoning_effort === undefined ? {} : { reasoning: { effort: reasoning_effort } }),
    },
    missing: missingOf(body, ["stop", "frequency_penalty", "presence_penalty"]),
  };
}

export function asMessages(body: ChatBody): OtherRequest {
  const { model, messages, temperature, top_p, stop, tools, tool_choice } = body;
  const system = systemOf(messages);
  return {
    fields: {
      model,
      max_tokens: body.max_tokens ?? defaultMaxTokens,
      ...(system === "" ? {} : { system }),
      messages: turnsOf(messages),
      // Its maximum there is 1.
      ...given({ temperature: temperature === undefined ? undefined : Math.min(1, temperature), top_p }),
      ...given({ stop_sequences: stop }),
      ...(tools === undefined ? {} : { tools: tools.map(inputTool) }),
      ...given({ tool_choice: typedChoice(tool_choice) }),
      ...thinkingOf(body.reasoning_effort),
    },
    missing: missingOf(body, ["frequency_penalty", "presence_penalty"]),
  };
}

const missingOf = (body: ChatBody, names: readonly (keyof ChatBody)[]): string[] =>
  names.filter((name) => body[name] !== undefined);

const given = (fields: RequestFields): RequestFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const systemOf = (messages: readonly SentMessage[]): string =>
  messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");

function functionOf(tool: object): RequestFields {
  const described = "function" in tool ? tool.function : undefined;
  return isObject(described) ? described : {};
}

// ------------------------------------------------------------------------------------------------ Responses

function itemsOf(message: SentMessage): RequestFields[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: message.content }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }];
    case "assistant": {
      const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
      return [
        ...(reasoning === undefined
          ? []
          : [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: reasoning }] }]),
        ...(content === null ? [] : [{ role: "assistant", content }]),
        ...calls.map((call) => ({ type: "function_call", call_id: call.id, ...call.function })),
      ];
    }
  }
}

const flatChoice = (choice: ChatBody["tool_choice"]): unknown =>
  typeof choice === "object" ? { type: "function", name: choice.function.name } : choice;

// ------------------------------------------------------------------------------------------------- Messages

function turnsOf(messages: readonly SentMessage[]): RequestFields[] {
  const turns: { role: string; content: unknown }[] = [];
  let results: RequestFields[] = [];
  for (const [place, message] of messages.entries()) {
    if (message.role === "user") turns.push({ role: "user", content: message.content });
    else if (message.role === "assistant") turns.push({ role: "assistant", content: blocksOf(message) });
    else if (message.role === "tool") {
      // All results of one turn belong to one message.
      if (messages[place - 1]?.role !== "tool") turns.push({ role: "user", content: (results = []) });
      results.push({ type: "tool_result", tool_use_id: message.tool_call_id, content: message.content });
    }
  }
  return turns;
}

function blocksOf({
  content,
  reasoning_content: reasoning,
  tool_calls: calls,
}: Extract<SentMessage, { role: "assistant" }>): unknown {
  if (calls === undefined) return content ?? "";
  return [
    ...(reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature: "" }]),
    ...(content === null ? [] : [{ type: "text", text: content }]),
    ...calls.map(({ id, function: { name, arguments: text } }) => ({
      type: "tool_use",
      id,
      name,
      input: inputOf(text),
    })),
  ];
}

/** Arguments that were cut off are not valid JSON. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function inputTool(tool: object): RequestFields {
  const { parameters, ...rest } = functionOf(tool);
  return { ...rest, input_schema: isObject(parameters) ? parameters : { type: "object" } };
}

function typedChoice(choice: ChatBody["tool_choice"]): unknown {
  if (choice === undefined) return undefined;
  if (typeof choice === "object") return { type: "tool", name: choice.function.name };
  return { type: choice === "required" ? "any" : choice };
}

/** In that API, reasoning is off unless requested. */
function thinkingOf(effort: string | undefined): RequestFields {
  if (effort === undefined || effort === "none") return {};
  return { thinking: { type: "adaptive" }, output_config: { effort } };
}
