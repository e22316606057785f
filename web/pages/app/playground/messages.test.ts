import { describe, expect, it } from "vitest";
import { readMessages } from "../../../../src/protocol/chat-completions/messages.js";
import type { ChatPart } from "../../../service/chat-stream.ts";
import { awaitsResults, emptyReply, type ReplyTurn, type Turn } from "./conversation.ts";
import { messagesOf } from "./messages.ts";
import { noContent, withPart } from "./reply-content.ts";

const parts: ChatPart[] = [
  { type: "reasoning", text: "Where " },
  { type: "reasoning", text: "and when?" },
  { type: "call", index: 0, id: "call_a", name: "get_weather" },
  { type: "arguments", index: 0, text: '{"city":' },
  { type: "arguments", index: 0, text: '"Paris"}' },
  { type: "call", index: 1, id: "call_b", name: "get_time" },
  { type: "arguments", index: 1, text: "{}" },
];
const calling: ReplyTurn = {
  ...emptyReply(2, "omega"),
  ...parts.reduce(withPart, noContent),
  state: "done",
  reason: "tool_calls",
};
const question: Turn = { id: 1, role: "user", text: "How is it?" };
const results: Turn = {
  id: 3,
  role: "tool",
  results: [
    { callId: "call_a", name: "get_weather", text: "clear" },
    { callId: "call_b", name: "get_time", text: "" },
  ],
};

describe("the history that is sent", () => {
  it("has the calls of a reply, its reasoning, and a message for each result", () => {
    const sent = messagesOf([question, calling, results]);
    expect(sent).toEqual([
      { role: "user", content: "How is it?" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Where and when?",
        tool_calls: [
          {
            id: "call_a",
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Paris"}' },
          },
          { id: "call_b", type: "function", function: { name: "get_time", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_a", content: "clear" },
      { role: "tool", tool_call_id: "call_b", content: "" },
    ]);
    expect(readMessages(sent, "messages")).toHaveLength(4);
  });

  it("omits calls that were never answered, and the reasoning of a finished reply", () => {
    const next: Turn = { id: 4, role: "user", text: "Never mind." };
    const both = [
      { role: "user", content: "How is it?" },
      { role: "user", content: "Never mind." },
    ];
    expect(messagesOf([question, calling, next])).toEqual(both);
    expect(messagesOf([question, { ...calling, text: "Let me look." }, next])).toEqual([
      both[0],
      { role: "assistant", content: "Let me look." },
      both[1],
    ]);
  });
});

describe("a reply with calls", () => {
  it("awaits their results only once it is complete", () => {
    expect(awaitsResults(calling)).toBe(true);
    expect(awaitsResults({ ...calling, state: "writing", reason: null })).toBe(false);
    expect(awaitsResults({ ...calling, state: "stopped", reason: null })).toBe(false);
    expect(awaitsResults({ ...calling, reason: "length" })).toBe(false);
  });
});
