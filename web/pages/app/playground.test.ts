import { describe, expect, it } from "vitest";
import { parseChatRequest } from "../../../src/protocol/chat-completions/request.js";
import { emptyReply } from "./playground/conversation.ts";
import { factsOf } from "./playground/reply-facts.ts";
import { samplingDefaults } from "./playground/settings.ts";

const reply = emptyReply(1, "omega");

describe("the line under a reply", () => {
  it("says what was used and how fast, from the first token on", () => {
    const done = { state: "done" as const, tokens: { prompt: 12, completion: 41 } };
    expect(factsOf({ ...reply, ...done, firstTokenMs: 200, totalMs: 2_200 })).toEqual([
      "omega",
      "12 tokens in, 41 out",
      "first token after 200 ms",
      "20 tokens/s",
      "2.2 s in total",
    ]);
  });

  it("has no rate for a single token or a moment too short to measure", () => {
    const one = { tokens: { prompt: 12, completion: 1 }, firstTokenMs: 200, totalMs: 900 };
    expect(factsOf({ ...reply, ...one }).join()).not.toContain("tokens/s");
    const quick = { tokens: { prompt: 12, completion: 9 }, firstTokenMs: 200, totalMs: 220 };
    expect(factsOf({ ...reply, ...quick }).join()).not.toContain("tokens/s");
  });

  it("says how long a reply that was stopped took", () => {
    const stopped = { state: "stopped" as const, firstTokenMs: 200, totalMs: 700 };
    expect(factsOf({ ...reply, ...stopped })).toEqual([
      "omega",
      "first token after 200 ms",
      "700 ms in total",
      "stopped by you",
    ]);
  });
});

it("the playground shows the defaults that the service takes for a request that says nothing", () => {
  const messages = [{ role: "user", content: "hi" }];
  expect(parseChatRequest({ model: "omega", messages }).sampling).toMatchObject(samplingDefaults);
});
