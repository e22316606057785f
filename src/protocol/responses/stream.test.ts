import { expect, test } from "vitest";
import { followResponse } from "../../../test/support/clients/response-stream.js";
import { responses } from "./dialect.js";

test("log probabilities come with their text, in the parts of a stream and in the whole", () => {
  const asked = responses.read({ model: "omega", input: "hi", top_logprobs: 1 });
  const head = { id: `resp_${"x".repeat(28)}`, created: 1, model: "omega", promptTokens: 1 };
  const usage = { promptTokens: 1, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 };
  const entry = (token: string) => {
    const one = { token, bytes: [...Buffer.from(token)], logprob: -0.5 };
    return { ...one, top: [one] };
  };
  const writer = responses.stream(head, asked);
  const events = [
    // A token that is not yet a whole character has no text.
    ...writer.write({ type: "text", choice: 0, text: "", logprobs: [entry("a")] }),
    ...writer.write({ type: "text", choice: 0, text: "ab", logprobs: [entry("b")] }),
    ...writer.write({ type: "finished", choice: 0, finishReason: "stop" }),
    ...writer.write({ type: "done", usage }),
    ...writer.end(),
  ];
  const text = events.map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const part = { type: "text" as const, text: "ab", logprobs: [entry("a"), entry("b")] };
  const choice = { parts: [part], finishReason: "stop" as const };
  const { response } = followResponse(text);
  expect(response).toEqual(responses.reply(head, asked, [choice], usage));
  expect(response?.output).toMatchObject([
    { content: [{ logprobs: [{ token: "a", top_logprobs: [{ token: "a" }] }, { token: "b" }] }] },
  ]);
});
