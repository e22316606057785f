import { afterEach, describe, expect, it, vi } from "vitest";
import { streamChat, type ChatPart } from "./chat-stream.ts";

afterEach(() => vi.unstubAllGlobals());

/** The parts of a stream with these deltas. */
async function partsOf(deltas: readonly object[], reason = "stop"): Promise<ChatPart[]> {
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }], usage: null })),
    { choices: [{ index: 0, delta: {}, finish_reason: reason }], usage: null },
  ];
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  const body = events.map((data) => `data: ${data}\n\n`).join("");
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body)));
  const parts: ChatPart[] = [];
  const { signal } = new AbortController();
  for await (const part of streamChat(null, { model: "omega", messages: [] }, signal)) parts.push(part);
  return parts;
}

describe("a streamed reply", () => {
  it("separates reasoning from text", async () => {
    expect(
      await partsOf([
        { role: "assistant", reasoning_content: "Hm" },
        { reasoning_content: "." },
        { content: "Yes" },
      ]),
    ).toEqual([
      { type: "reasoning", text: "Hm" },
      { type: "reasoning", text: "." },
      { type: "text", text: "Yes" },
      { type: "end", reason: "stop" },
    ]);
  });

  it("gives the name of each call once, and its arguments under its number", async () => {
    const begin = (index: number, id: string, name: string) => ({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
    });
    const rest = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    });
    const deltas = [
      { role: "assistant", content: null, ...begin(0, "call_a", "get_weather") },
      rest(0, '{"city":'),
      rest(0, '"Paris"}'),
      begin(1, "call_b", "get_time"),
      rest(1, "{}"),
    ];
    expect(await partsOf(deltas, "tool_calls")).toEqual([
      { type: "call", index: 0, id: "call_a", name: "get_weather" },
      { type: "arguments", index: 0, text: '{"city":' },
      { type: "arguments", index: 0, text: '"Paris"}' },
      { type: "call", index: 1, id: "call_b", name: "get_time" },
      { type: "arguments", index: 1, text: "{}" },
      { type: "end", reason: "tool_calls" },
    ]);
  });
});
