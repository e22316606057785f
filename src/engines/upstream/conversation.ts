/**
 * A conversation in an engine's fields: messages with their calls and reasoning, tools, and the reasoning effort; or a
 * raw prompt. The fields that determine the prompt are the same when it is counted and when it runs. What is undefined
 * is not sent.
 */
import { imagesIn } from "../../core/chat/images.js";
import type {
  ChatMessage,
  ContentPart,
  Image,
  RawPrompt,
  ReasoningEffort,
  Tool,
  Tooling,
} from "../../core/chat/request.js";
import type { Profile } from "./profiles.js";

export interface Conversation {
  /** With images only where the engine can see. */
  messages: readonly ChatMessage[];
  tooling: Tooling | undefined;
  reasoningEffort: ReasoningEffort | undefined;
}

export type PromptInput = Conversation | RawPrompt;

export const isConversation = (input: PromptInput): input is Conversation => "messages" in input;

type Fields = Record<string, unknown>;

export function promptFields(profile: Profile, input: PromptInput): Fields {
  if (!isConversation(input)) return rawPromptFields(profile, input);
  const { messages, tooling, reasoningEffort } = input;
  return {
    messages: imagesToUser(messages).map((message) => messageFields(profile, message)),
    tools: tooling?.tools.map(toolFields),
    ...effortFields(profile, reasoningEffort),
  };
}

function rawPromptFields({ infill }: Profile, prompt: RawPrompt): Fields {
  switch (prompt.type) {
    case "text":
      return { prompt: prompt.text };
    case "tokens":
      return { prompt: prompt.tokens };
    case "infill":
      return infill === "endpoint"
        ? { input_prefix: prompt.prefix, input_suffix: prompt.suffix }
        : { prompt: prompt.prefix, suffix: prompt.suffix };
  }
}

export function toolChoiceFields(profile: Profile, tooling: Tooling | undefined): Fields {
  if (tooling === undefined) return {};
  return {
    tool_choice: toolChoice(profile, tooling),
    // Not sent as true: engines know best whether their model can make several calls.
    parallel_tool_calls: tooling.parallel ? undefined : false,
  };
}

function messageFields({ reasoningFields }: Profile, message: ChatMessage): Fields {
  const { role, content, parts, toolCalls, toolCallId, reasoning } = message;
  return {
    role,
    // Some chat templates (DeepSeek's) recognise a turn that only calls by its missing text.
    content:
      content === "" && toolCalls !== undefined ? null : parts === undefined ? content : wireParts(parts),
    ...Object.fromEntries(reasoningFields.map((name) => [name, reasoning])),
    tool_calls: toolCalls?.map((call) => ({
      id: call.id,
      type: "function",
      // Engines parse it, and fail on an empty text.
      function: { name: call.name, arguments: call.arguments.trim() === "" ? "{}" : call.arguments },
    })),
    tool_call_id: toolCallId,
  };
}

const toolFields = ({ name, description, parameters, strict }: Tool): Fields => ({
  type: "function",
  function: {
    name,
    description,
    // Some engines and chat templates require it.
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict || undefined,
  },
});

/** A choice of one tool is named, where the engine supports that: it then holds the reply to the tool's schema. */
function toolChoice({ supportsNamedTool }: Profile, { tools, choice }: Tooling): unknown {
  const [only, ...others] = tools;
  if (choice === "auto" || !supportsNamedTool || only === undefined || others.length > 0) return choice;
  return { type: "function", function: { name: only.name } };
}

function effortFields({ reasoning }: Profile, effort: ReasoningEffort | undefined): Fields {
  if (effort === undefined) return {};
  if (effort === "none") return reasoning.off;
  return {
    reasoning_effort: effort,
    chat_template_kwargs: reasoning.effortInTemplate ? { reasoning_effort: effort } : undefined,
  };
}

/** Stands in a tool's result, where the image was. */
const belowNote = "[image: see the next message]";
const fromTools: ContentPart = { type: "text", text: "[images of the tool results above]" };

/**
 * With images in turns of the user only: most chat templates have no place for one in a tool's result, so it comes with
 * the user's turn that follows, or in one of its own.
 */
function imagesToUser(messages: readonly ChatMessage[]): ChatMessage[] {
  const moved: ChatMessage[] = [];
  let pending: ContentPart[] = [];
  const asTurn = (parts: readonly ContentPart[]): ChatMessage => ({ role: "user", content: "", parts });
  for (const message of messages) {
    if (message.role === "tool" && message.parts !== undefined) {
      const { parts, ...result } = message;
      moved.push({ ...result, content: parts.map(textOrNote).join("\n\n") });
      pending.push(...imagesIn([message]).map((image): ContentPart => ({ type: "image", ...image })));
      continue;
    }
    if (pending.length > 0 && message.role !== "tool") {
      const taken = [fromTools, ...pending];
      pending = [];
      if (message.role === "user") {
        moved.push({ ...message, parts: [...taken, ...partsOf(message)] });
        continue;
      }
      moved.push(asTurn(taken));
    }
    moved.push(message);
  }
  if (pending.length > 0) moved.push(asTurn([fromTools, ...pending]));
  return moved;
}

const wireParts = (parts: readonly ContentPart[]): object[] =>
  parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: part.url, detail: part.detail } },
  );

/** Between what small and large images come to on common models. The engine's usage settles it. */
export const estimateImages = (images: readonly Image[]): number =>
  images.reduce((sum, { detail }) => sum + (detail === "low" ? 256 : 1024), 0);

const partsOf = ({ content, parts }: ChatMessage): readonly ContentPart[] =>
  parts ?? [{ type: "text", text: content }];

const textOrNote = (part: ContentPart): string => (part.type === "text" ? part.text : belowNote);
