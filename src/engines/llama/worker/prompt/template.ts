/**
 * The model's own chat template, a Jinja program from its GGUF file.
 *
 * Templates differ in what they accept, and what each does is found out once, when it is loaded, by rendering. One
 * that refuses system messages or drops them silently gets their text in front of the user message that follows. One
 * that refuses the order of roles gets neighbours of the same role joined. One that shows no tools gets them in our
 * own form (generic-tools.ts). What it still refuses is an error of the request.
 */
import { Template } from "@huggingface/jinja";
import type { ChatMessage } from "../../../../core/chat/request.js";
import { detectSyntax, endsInReasoning, type TemplateAbilities } from "../../../chat-format/detect.js";
import {
  type RenderTemplate,
  type TemplateConversation,
  withCallLists,
  withToolsInSystem,
} from "../../../chat-format/detection/template-render.js";
import type { ReplySyntax } from "../../../chat-format/reply-syntax.js";
import type { Conversation } from "../../messages.js";
import type { Vocabulary } from "../vocabulary.js";
import { withGenericTools, withToolText, withWrittenCalls } from "./generic-tools.js";
import { templateMessages, templateTools } from "./template-messages.js";

export class ChatTemplate {
  readonly #template: Template;
  readonly #abilities: TemplateAbilities;
  readonly #takesSystem: boolean;
  readonly #render: RenderTemplate;

  /** Throws when the template is not Jinja that can be read. */
  constructor(
    source: string,
    private readonly texts: Pick<Vocabulary, "bosText" | "eosText">,
  ) {
    this.#template = new Template(source);
    const plain: RenderTemplate = (conversation) => this.#try(conversation);
    this.#abilities = detectSyntax(plain, source);
    const { needsCallLists, toolsIn } = this.#abilities;
    const listed = needsCallLists ? withCallLists(plain) : plain;
    this.#render = toolsIn === "system" ? withToolsInSystem(listed) : listed;
    this.#takesSystem = this.#showsSystemMessages();
  }

  get syntax(): ReplySyntax {
    return this.#abilities.syntax;
  }

  /** The prompt's text, or null when the template takes no such conversation. */
  render(conversation: Conversation): string | null {
    const messages = this.#withCalls(conversation);
    const asWritten = this.#takesSystem ? messages : foldSystem(messages);
    return (
      this.#renderWith(conversation, asWritten) ??
      this.#renderWith(conversation, joinNeighbours(foldSystem(messages))) ??
      this.#renderWithToolText(conversation)
    );
  }

  /** Without tools in the request, calls that were made earlier may still be part of the conversation. */
  #withCalls({ messages, tools }: Conversation): readonly ChatMessage[] {
    const { knowsTools, callForm, syntax } = this.#abilities;
    if (!knowsTools) return withGenericTools(messages, tools);
    return callForm !== null || syntax.type === "harmony" ? messages : withWrittenCalls(messages, syntax);
  }

  /** For a template that knows tools and stumbles over the schema of one of these. */
  #renderWithToolText(conversation: Conversation): string | null {
    const { messages, tools } = conversation;
    if (!this.#abilities.knowsTools || tools.length === 0) return null;
    const listed = withToolText(messages, tools);
    return this.#renderWith({ ...conversation, tools: [] }, this.#takesSystem ? listed : foldSystem(listed));
  }

  /** Whether a reply to this prompt begins inside reasoning. */
  endsInReasoning(prompt: string): boolean {
    return endsInReasoning(prompt, this.#abilities.syntax);
  }

  #renderWith({ tools, reasoningEffort }: Conversation, messages: readonly ChatMessage[]): string | null {
    const { knowsTools, callForm } = this.#abilities;
    return this.#render({
      messages: templateMessages(messages, callForm ?? usualForm),
      tools: knowsTools && tools.length > 0 ? templateTools(tools) : null,
      addGenerationPrompt: true,
      variables: this.#reasoningVariables(reasoningEffort),
    });
  }

  /** The template variables that turn reasoning on or off and set its effort. */
  #reasoningVariables(effort: Conversation["reasoningEffort"]): Record<string, unknown> {
    const { thinkingSwitch, takesEffort } = this.#abilities;
    if (effort === undefined) return {};
    const isOn = effort !== "none";
    return {
      ...(thinkingSwitch === null ? {} : { [thinkingSwitch]: isOn }),
      // The lowest effort of models that cannot turn reasoning off.
      ...(takesEffort ? { reasoning_effort: isOn ? effort : "low" } : {}),
    };
  }

  #try({ messages, tools, addGenerationPrompt, variables = {} }: TemplateConversation): string | null {
    try {
      return this.#template.render({
        messages,
        bos_token: this.texts.bosText,
        eos_token: this.texts.eosText,
        add_generation_prompt: addGenerationPrompt,
        // Templates ask whether these "are not none", which an absent variable is not.
        tools,
        documents: null,
        ...variables,
      });
    } catch {
      // Templates refuse by throwing. The message may quote the conversation, so it is dropped here.
      return null;
    }
  }

  #showsSystemMessages(): boolean {
    const probe = "sotto-system-probe";
    const rendered = this.#render({
      messages: [
        { role: "system", content: probe },
        { role: "user", content: "?" },
      ],
      tools: null,
      addGenerationPrompt: true,
    });
    return rendered?.includes(probe) ?? false;
  }
}

const usualForm = { argumentsAs: "object", emptyContent: "" } as const;

/** System text moves into the user message after it, or becomes one of its own at the end. */
function foldSystem(messages: readonly ChatMessage[]): ChatMessage[] {
  const folded: ChatMessage[] = [];
  let pending: string[] = [];
  for (const message of messages) {
    const { role, content } = message;
    if (role === "system") {
      pending.push(content);
    } else if (role === "user") {
      folded.push({ role, content: [...pending, content].join("\n\n") });
      pending = [];
    } else {
      folded.push(message);
    }
  }
  if (pending.length > 0) folded.push({ role: "user", content: pending.join("\n\n") });
  return folded;
}

function joinNeighbours(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const isJoinable = last?.role === message.role && isPlain(last) && isPlain(message);
    if (last !== undefined && isJoinable) last.content = `${last.content}\n\n${message.content}`;
    else joined.push({ ...message });
  }
  return joined;
}

const isPlain = ({ toolCalls, toolCallId }: ChatMessage): boolean =>
  toolCalls === undefined && toolCallId === undefined;
