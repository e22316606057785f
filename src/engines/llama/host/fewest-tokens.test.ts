import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../core/chat/request.js";
import { templates } from "../../formats/replies/templates.fixture.js";
import { fewestTokens } from "./fewest-tokens.js";
import type { Conversation } from "../messages.js";
import { ChatTemplate } from "../worker/prompt/template.js";

/** Stands for the vocabulary: what looks like a marker is a special token. */
const special =
  /<[|｜][^|｜<>]*[|｜]>|<\/?s>|\[\/?(INST|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]|<\/?\w+_turn>/g;

/** Any other word is a token, or a run of whitespace, or a mark. */
const other = /\w+|\s+|[^\w\s]/g;

const counterOf = (source: string) => {
  const template = new ChatTemplate(source, { bosText: "<s>", eosText: "</s>" });
  return (conversation: Conversation): number | null => {
    const rendered = template.render(conversation);
    if (rendered === null) return null;
    const inBetween = rendered.replaceAll(special, "").match(other)?.length ?? 0;
    return (rendered.match(special)?.length ?? 0) + inBetween;
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
    fc.assert(
      fc.property(conversations, (conversation) => {
        const written = count(conversation);
        if (written === null) return;
        expect(fewestTokens(conversation)).toBeLessThanOrEqual(written);
      }),
      { numRuns: 40 },
    );
  });
});
