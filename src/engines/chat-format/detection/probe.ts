/** A conversation with words that occur nowhere else, so that it can be seen where a template puts them. */
import type { RenderTemplate, TemplateCall, TemplateMessage, TemplateTool } from "./template-render.js";

export const probeName = "sotto_probe_tool";
export const probeArguments = { probe_key_a: "probe value a", probe_key_b: 70717 } as const;
export const probeText = "Sotto probe text";
export const probeReasoning = "Sotto probe reasoning";
const description = "Sotto probe description";

const tool = (name: string): TemplateTool => ({
  type: "function",
  function: {
    name,
    description,
    parameters: {
      type: "object",
      properties: {
        probe_key_a: { type: "string", description: "The first." },
        probe_key_b: { type: "integer", description: "The second." },
      },
      required: ["probe_key_a", "probe_key_b"],
    },
  },
});

export const probeTools: readonly TemplateTool[] = [tool(probeName), tool("sotto_second_tool")];

export const question: TemplateMessage = { role: "user", content: "Sotto probe question" };
export const answer: TemplateMessage = { role: "assistant", content: probeText };

/** The prompt for the question; null when the template refuses it. */
export const promptFor = (
  render: RenderTemplate,
  tools: readonly TemplateTool[] | null = null,
  variables: Readonly<Record<string, unknown>> = {},
): string | null => render({ messages: [question], tools, addGenerationPrompt: true, variables });

/** How a template takes an assistant's message with calls. */
export interface CallForm {
  argumentsAs: "object" | "text";
  /** The content of a message that has none. */
  emptyContent: "" | null;
}

/** In the order in which they are tried. */
export const callForms: readonly CallForm[] = [
  { argumentsAs: "object", emptyContent: "" },
  { argumentsAs: "object", emptyContent: null },
  { argumentsAs: "text", emptyContent: "" },
  { argumentsAs: "text", emptyContent: null },
];

export function callMessage({ argumentsAs, emptyContent }: CallForm): TemplateMessage {
  const given = argumentsAs === "text" ? JSON.stringify(probeArguments) : probeArguments;
  // Nine letters and digits: Mistral's templates refuse any other id.
  const call: TemplateCall = {
    id: "a1b2c3d4e",
    type: "function",
    function: { name: probeName, arguments: given },
  };
  return { role: "assistant", content: emptyContent, tool_calls: [call] };
}
