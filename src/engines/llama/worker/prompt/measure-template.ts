/**
 * How many tokens a template writes for each message, call and tool at least: by rendering few of them, and more. The
 * special tokens among them are written whatever a message says. Others may merge with the words beside them, which
 * makes a token or two fewer of them, so half of them count.
 */
import type { ChatMessage, Tool } from "../../../../core/chat/request.js";
import type { Conversation, TemplateTokens } from "../../messages.js";

/** `count`: of a rendered conversation; null where the template takes no such one. */
export function measureTemplate(
  count: (conversation: Conversation) => { tokens: number; special: number } | null,
): TemplateTokens {
  const each = (of: (length: number) => Partial<Conversation>): number => {
    const [few, many] = [2, 34].map((length) =>
      count({ messages: [user], tools: [], reasoningEffort: undefined, ...of(length) }),
    );
    if (few === undefined || few === null || many === undefined || many === null) return 0;
    return Math.max(0, many.special - few.special, (many.tokens - few.tokens) / 2) / 32;
  };
  const times = <T>(length: number, item: (index: number) => T): T[] =>
    Array.from({ length }, (_, index) => item(index));
  const between = (messages: ChatMessage[]) => ({ messages: [user, ...messages, user] });
  return {
    turn: each((length) => ({
      messages: times(length + 1, (index) => (index % 2 === 0 ? user : assistant)),
    })),
    round: withAndWithoutText((content) =>
      each((length) => between(times(length, () => [caller(1, content), result]).flat())),
    ),
    repeated: {
      user: each((length) => ({ messages: times(length, () => user) })),
      assistant: each((length) => between(times(length, () => assistant))),
      system: each((length) => ({ messages: [...times(length, () => system), user] })),
      tool: withAndWithoutText((content) =>
        each((length) => between([caller(1, content), ...times(length, () => result)])),
      ),
    },
    call: withAndWithoutText((content) => each((length) => between([caller(length, content), result]))),
    tool: each((length) => ({ tools: times(length, (index) => toolNamed(`f${index}`)) })),
  };
}

const user: ChatMessage = { role: "user", content: "x" };
const assistant: ChatMessage = { role: "assistant", content: "x" };
const system: ChatMessage = { role: "system", content: "x" };
const result: ChatMessage = { role: "tool", content: "x", toolCallId: "0" };
const caller = (calls: number, content: string): ChatMessage => ({
  role: "assistant",
  content,
  toolCalls: Array.from({ length: calls }, (_, id) => ({ id: String(id), name: "f", arguments: "{}" })),
});
const toolNamed = (name: string): Tool => ({
  name,
  description: undefined,
  parameters: undefined,
  strict: false,
});

/** Some templates leave calls out beside text. */
const withAndWithoutText = (measure: (content: string) => number): number =>
  Math.min(measure(""), measure("x"));
