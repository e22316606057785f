import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { templates } from "../../../../../test/support/inputs/chat-templates.js";
import type { ChatMessage } from "../../../../core/chat/request.js";
import { fewestTokens } from "../../fewest-tokens.js";
import type { Conversation } from "../../messages.js";
import { measureTemplate } from "./measure-template.js";
import { ChatTemplate } from "./template.js";

/** Stands for the vocabulary: what looks like a marker is a special token. */
const special =
  /<[|｜][^|｜<>]*[|｜]>|<\/?s>|\[\/?(INST|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]|<\/?\w+_turn>/g;

/** Any other word is a token, or a run of whitespace, or a mark. */
const other = /\w+|\s+|[^\w\s]/g;

const counterOf = (source: string) => {
  const template = new ChatTemplate(source, { bosText: "<s>", eosText: "</s>" });
  return (conversation: Conversation) => {
    const rendered = template.render(conversation);
    if (rendered === null) return null;
    const numberOf = (pattern: RegExp) => rendered.match(pattern)?.length ?? 0;
    const inBetween = rendered.replaceAll(special, "").match(other)?.length ?? 0;
    return { special: numberOf(special), tokens: numberOf(special) + inBetween };
  };
};

const turn = (role: "system" | "user" | "assistant") =>
  fc.constantFrom("x", "", "several words").map((content): ChatMessage[] => [{ role, content }]);
const round = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom("", "text"))
  .map(([calls, content]): ChatMessage[] => [
    {
      role: "assistant",
      content,
      toolCalls: Array.from({ length: calls }, (_, id) => ({ id: String(id), name: "f", arguments: "{}" })),
    },
    ...Array.from({ length: calls }, (_, id): ChatMessage => ({
      role: "tool",
      content: "ok",
      toolCallId: String(id),
    })),
  ]);
const conversations = fc
  .array(fc.oneof(turn("user"), turn("assistant"), turn("user"), turn("assistant"), turn("system"), round), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts): Conversation => ({
    messages: [...parts.flat(), { role: "user", content: "x" }],
    tools: [],
    reasoningEffort: undefined,
  }));

describe("the fewest tokens of a conversation", () => {
  const sources = Object.entries(templates).flatMap(([name, source]) =>
    typeof source === "string" ? [{ name, source }] : [],
  );

  it.each(sources)("are never more than $name writes", ({ source }) => {
    const count = counterOf(source);
    const measured = measureTemplate(count);
    fc.assert(
      fc.property(conversations, (conversation) => {
        const written = count(conversation);
        if (written === null) return;
        expect(fewestTokens(conversation, measured)).toBeLessThanOrEqual(written.tokens);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    { template: "with special tokens", source: templates.qwen25 },
    {
      template: "with words for marks and one special token a message",
      source: "{% for m in messages %}<:{{ m.role }}:>\n{{ m.content }}</s>\n{% endfor %}",
    },
  ])("grow with the number of messages, in a template $template", ({ source }) => {
    const measured = measureTemplate(counterOf(source));
    const messages = Array.from({ length: 1801 }, (_, index): ChatMessage => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: "x",
    }));
    expect(fewestTokens({ messages, tools: [], reasoningEffort: undefined }, measured)).toBeGreaterThan(3500);
  });
});
