/** What a chat template is given. Field names are those that templates expect. */

export interface TemplateTool {
  type: "function";
  function: { name: string; description: string; parameters: Readonly<Record<string, unknown>> };
}

export interface TemplateCall {
  id: string;
  type: "function";
  /** Templates differ in whether they take arguments as an object or as JSON text. */
  function: { name: string; arguments: Readonly<Record<string, unknown>> | string };
}

export interface TemplateMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tool_calls?: readonly TemplateCall[];
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  /** The tools as JSON, for templates that look for them in the system message (Phi-4-mini). */
  tools?: string;
}

export interface TemplateConversation {
  messages: readonly TemplateMessage[];
  /** Null: the request has none. */
  tools: readonly TemplateTool[] | null;
  addGenerationPrompt: boolean;
  /** More variables, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
}

/** Null when the template refuses the conversation. */
export type RenderTemplate = (conversation: TemplateConversation) => string | null;

/**
 * Every message with a list of calls, empty where there are none: some templates go through it without asking whether
 * it is there, which only Python's Jinja forgives.
 */
export const withCallLists =
  (render: RenderTemplate): RenderTemplate =>
  (conversation) =>
    render({
      ...conversation,
      messages: conversation.messages.map((message) => ({ tool_calls: [], ...message })),
    });

/** The tools in the system message rather than in the variable. */
export const withToolsInSystem =
  (render: RenderTemplate): RenderTemplate =>
  (conversation) => {
    if (conversation.tools === null) return render(conversation);
    const tools = JSON.stringify(conversation.tools.map((tool) => tool.function));
    const [first, ...others] = conversation.messages;
    const messages: TemplateMessage[] =
      first?.role === "system"
        ? [{ ...first, tools }, ...others]
        : [{ role: "system", content: "", tools }, ...conversation.messages];
    return render({ ...conversation, messages });
  };
