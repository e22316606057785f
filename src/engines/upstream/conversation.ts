/**
 * A conversation in an engine's words: its messages with the calls and thoughts in them, what may be called, and how
 * long the model may think. What of it decides the prompt is the same when the prompt is counted and when it runs.
 */
import type { ChatMessage, ReasoningEffort, Tool, Tooling } from "../../core/chat/request.js";
import type { Profile } from "./profiles.js";

export interface Conversation {
  messages: readonly ChatMessage[];
  tooling: Tooling | undefined;
  reasoningEffort: ReasoningEffort | undefined;
}

type Fields = Record<string, unknown>;

/** What the prompt is made of. */
export function promptFields(profile: Profile, conversation: Conversation): Fields {
  const { messages, tooling, reasoningEffort } = conversation;
  return {
    messages: messages.map((message) => messageFields(profile, message)),
    ...(tooling === undefined ? {} : { tools: tooling.tools.map(toolFields) }),
    ...reasoningFields(profile, reasoningEffort),
  };
}

/** What the engine is told besides about calls. */
export function callingFields(profile: Profile, tooling: Tooling | undefined): Fields {
  if (tooling === undefined) return {};
  return {
    tool_choice: toolChoice(profile, tooling),
    // Unless they must come one at a time, engines know best whether their model can make several calls.
    ...(tooling.parallel ? {} : { parallel_tool_calls: false }),
  };
}

function messageFields({ thoughtFields }: Profile, message: ChatMessage): Fields {
  const { role, content, toolCalls, toolCallId, reasoning } = message;
  return {
    role,
    // Chat templates tell a turn that only calls by its missing text (DeepSeek's do).
    content: content === "" && toolCalls !== undefined ? null : content,
    ...(reasoning === undefined ? {} : Object.fromEntries(thoughtFields.map((name) => [name, reasoning]))),
    ...(toolCalls === undefined
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: call.id,
            type: "function",
            // Engines read the text, and fail on one that is empty.
            function: { name: call.name, arguments: call.arguments.trim() === "" ? "{}" : call.arguments },
          })),
        }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  };
}

const toolFields = ({ name, description, parameters, strict }: Tool): Fields => ({
  type: "function",
  function: {
    name,
    ...(description === undefined ? {} : { description }),
    // Some engines and chat templates want it.
    parameters: parameters ?? { type: "object", properties: {} },
    ...(strict ? { strict } : {}),
  },
});

/** A choice of one tool is named, where the engine reads that: it then holds the reply to the tool's schema. */
function toolChoice({ namesTool }: Profile, { tools, choice }: Tooling): unknown {
  const [only, ...others] = tools;
  if (choice === "auto" || !namesTool || only === undefined || others.length > 0) return choice;
  return { type: "function", function: { name: only.name } };
}

function reasoningFields({ reasoning }: Profile, effort: ReasoningEffort | undefined): Fields {
  if (effort === undefined) return {};
  if (effort === "none") return reasoning.off;
  return {
    reasoning_effort: effort,
    ...(reasoning.inTemplate ? { chat_template_kwargs: { reasoning_effort: effort } } : {}),
  };
}
