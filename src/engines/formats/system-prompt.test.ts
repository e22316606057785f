import { expect, it } from "vitest";
import type { ChatMessage } from "../../core/chat/request.js";
import { withSystemPrompt } from "./system-prompt.js";

const question: ChatMessage = { role: "user", content: "Why?" };

it("puts the model's system prompt first", () => {
  expect(withSystemPrompt([question], "Be brief.")).toEqual([
    { role: "system", content: "Be brief." },
    question,
  ]);
});

it("leaves a conversation alone that brings its own, wherever it stands, and without a prompt to add", () => {
  const own = [question, { role: "system", content: "" }] satisfies ChatMessage[];
  expect(withSystemPrompt(own, "Be brief.")).toBe(own);
  const plain = [question];
  expect(withSystemPrompt(plain, "")).toBe(plain);
});
