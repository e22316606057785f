/**
 * The model's own chat template, a Jinja program from its GGUF file.
 *
 * Templates differ in what they accept, and what each does is found out once, when it is loaded, by rendering. One
 * that refuses system messages or drops them silently gets their text in front of the user message that follows. One
 * that refuses the order of roles gets neighbours of the same role joined. One that shows no tools gets them in our
 * own form (generic-tools.ts). What it still refuses is an error of the request.
 */
import { Template } from "@huggingface/jinja";
import type { ChatMessage } from "../../../../protocol/chat.js";
import { detectSyntax, type Rendered } from "../../../formats/replies/detect.js";
import type { ReplySyntax } from "../../../formats/replies/reply-syntax.js";
import type { Conversation } from "../../messages.js";
import { withGenericTools } from "./generic-tools.js";
import { templateMessages, templateTools, type ArgumentsAs } from "./template-messages.js";

/** For files without a template: the layout most chat models know. */
const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

export interface TemplateTexts {
  bosText: string;
  eosText: string;
}

export class ChatTemplate {
  readonly #template: Template;
  readonly #takesSystem: boolean;
  readonly #knowsTools: boolean;
  readonly #argumentsAs: ArgumentsAs;
  /** How the model writes thoughts and calls, in replies without tools and with them. */
  readonly replySyntax: ReplySyntax;
  readonly toolSyntax: ReplySyntax;

  /** Throws when the template is not Jinja that can be read. */
  constructor(
    source: string | undefined,
    private readonly texts: TemplateTexts,
  ) {
    this.#template = new Template(source ?? chatMl);
    this.#takesSystem = this.#showsSystemMessages();
    const detected = detectSyntax(source ?? chatMl, (variables) => this.#render(variables));
    this.#knowsTools = detected.knowsTools;
    this.#argumentsAs = detected.argumentsAs;
    this.replySyntax = detected.replySyntax;
    this.toolSyntax = detected.toolSyntax;
  }

  /** The prompt's text, or null when the template takes no such conversation. */
  render(conversation: Conversation): string | null {
    const { tools } = conversation;
    const messages = this.#knowsTools
      ? conversation.messages
      : withGenericTools(conversation.messages, tools);
    const asWritten = this.#takesSystem ? messages : foldSystem(messages);
    return (
      this.#try(conversation, asWritten) ?? this.#try(conversation, joinNeighbours(foldSystem(messages)))
    );
  }

  /** Whether a prompt ends within the thoughts of the reply. */
  opensReasoning(prompt: string): boolean {
    if (this.replySyntax.type !== "marked" || this.replySyntax.reasoning === null) return false;
    return prompt.trimEnd().endsWith(this.replySyntax.reasoning.open);
  }

  #try({ tools, reasoningEffort }: Conversation, messages: readonly ChatMessage[]): string | null {
    return this.#render({
      messages: templateMessages(messages, this.#argumentsAs),
      // Templates ask whether this "is not none", which an absent variable is not.
      tools: this.#knowsTools && tools.length > 0 ? templateTools(tools) : null,
      ...thinking(reasoningEffort),
    });
  }

  #render(variables: Rendered): string | null {
    try {
      return this.#template.render({
        bos_token: this.texts.bosText,
        eos_token: this.texts.eosText,
        add_generation_prompt: true,
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
    });
    return rendered?.includes(probe) ?? false;
  }
}

/** The variables by which templates of models that think are told whether to, and for how long. */
function thinking(effort: Conversation["reasoningEffort"]): Record<string, unknown> {
  if (effort === undefined) return {};
  const thinks = effort !== "none";
  return { enable_thinking: thinks, thinking: thinks, reasoning_effort: thinks ? effort : "low" };
}

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
