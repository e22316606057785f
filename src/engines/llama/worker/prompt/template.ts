/**
 * The model's own chat template, a Jinja program from its GGUF file.
 *
 * Templates differ in what they accept. One that refuses system messages or drops them silently (tried once,
 * when it is loaded) gets their text in front of the user message that follows. One that refuses the order of
 * roles gets neighbours of the same role joined. What it still refuses is an error of the request.
 */
import { Template } from "@huggingface/jinja";
import type { ChatMessage } from "../../../../protocol/chat.js";

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

  /** Throws when the template is not Jinja that can be read. */
  constructor(
    source: string | undefined,
    private readonly texts: TemplateTexts,
  ) {
    this.#template = new Template(source ?? chatMl);
    this.#takesSystem = this.#showsSystemMessages();
  }

  /** The prompt's text, or null when the template takes no such conversation. */
  render(messages: readonly ChatMessage[]): string | null {
    const asWritten = this.#takesSystem ? messages : foldSystem(messages);
    return this.#try(asWritten) ?? this.#try(joinNeighbours(foldSystem(messages)));
  }

  #try(messages: readonly ChatMessage[]): string | null {
    try {
      return this.#template.render({
        messages: messages.map(({ role, content }) => ({ role, content })),
        bos_token: this.texts.bosText,
        eos_token: this.texts.eosText,
        add_generation_prompt: true,
        // Templates ask whether these "are not none", which an absent variable is not.
        tools: null,
        documents: null,
      });
    } catch {
      // Templates refuse by throwing. The message may quote the conversation, so it is dropped here.
      return null;
    }
  }

  #showsSystemMessages(): boolean {
    const probe = "sotto-system-probe";
    const rendered = this.#try([
      { role: "system", content: probe },
      { role: "user", content: "?" },
    ]);
    return rendered?.includes(probe) ?? false;
  }
}

/** System text moves into the user message after it, or becomes one of its own at the end. */
function foldSystem(messages: readonly ChatMessage[]): ChatMessage[] {
  const folded: ChatMessage[] = [];
  let pending: string[] = [];
  for (const { role, content } of messages) {
    if (role === "system") {
      pending.push(content);
    } else if (role === "user") {
      folded.push({ role, content: [...pending, content].join("\n\n") });
      pending = [];
    } else {
      folded.push({ role, content });
    }
  }
  if (pending.length > 0) folded.push({ role: "user", content: pending.join("\n\n") });
  return folded;
}

function joinNeighbours(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) last.content = `${last.content}\n\n${content}`;
    else joined.push({ role, content });
  }
  return joined;
}
