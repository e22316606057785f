/** A checker that accepts anything would make every test of streams pass. */
import { beforeAll, describe, expect, it } from "vitest";
import { responses } from "../../../src/protocol/responses/dialect.js";
import type { ReplyEvent } from "../../../src/core/chat/reply.js";
import { followResponse } from "./response-stream.js";

const choice = 0;
const usage = { promptTokens: 1, completionTokens: 2, cachedTokens: 0, reasoningTokens: 1 };
const reply: ReplyEvent[] = [
  { type: "reasoning", choice, text: "Hm." },
  { type: "text", choice, text: "a" },
  { type: "text", choice, text: "b" },
  { type: "call", choice, call: 0, id: "call_1", name: "f" },
  { type: "arguments", choice, call: 0, text: "{}" },
  { type: "finished", choice, finishReason: "tool_calls" },
  { type: "done", usage },
];

interface Written {
  name: string;
  data: Record<string, unknown>;
}

let events: Written[];
beforeAll(() => {
  const head = { id: `resp_${"x".repeat(28)}`, created: 1, model: "omega", promptTokens: 1 };
  const writer = responses.stream(head, responses.read({ model: "omega", input: "hi" }));
  events = reply
    .flatMap((event) => writer.write(event))
    .map(({ name = "", data }) => ({ name, data: JSON.parse(JSON.stringify(data)) as Written["data"] }));
});

/** Numbered as they stand, so that the numbers alone give nothing away. */
const textOf = (written: readonly Written[]) =>
  written
    .map(({ name, data }, index) => {
      const numbered = JSON.stringify({ ...data, sequence_number: index });
      return `event: ${name}\ndata: ${numbered}\n\n`;
    })
    .join("");

describe("the follower of response streams", () => {
  it("follows a good one", () => {
    const { response, items } = followResponse(textOf(events));
    expect(response?.status).toBe("completed");
    expect(items.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  it("misses any event that is not there", () => {
    for (const index of events.keys()) {
      expect(() => followResponse(textOf(events.toSpliced(index, 1))), events[index]?.name).toThrow();
    }
  });

  it("notices any event that comes twice", () => {
    for (const [index, event] of events.entries()) {
      expect(() => followResponse(textOf(events.toSpliced(index, 0, event))), event.name).toThrow();
    }
  });

  it("notices any two that changed places", () => {
    for (const [index, event] of events.entries()) {
      const next = events[index + 1];
      if (next === undefined) continue;
      expect(() => followResponse(textOf(events.toSpliced(index, 2, next, event))), event.name).toThrow();
    }
  });

  it("misses any field that is not there, and notices one too many", () => {
    for (const [index, { name, data }] of events.entries()) {
      for (const field of Object.keys(data).filter((key) => key !== "sequence_number")) {
        const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== field));
        expect(
          () => followResponse(textOf(events.with(index, { name, data: rest }))),
          `${name} ${field}`,
        ).toThrow();
      }
      const more = { name, data: { ...data, more: 1 } };
      expect(() => followResponse(textOf(events.with(index, more))), name).toThrow();
      const renamed = { name: "response.other", data };
      expect(() => followResponse(textOf(events.with(index, renamed))), name).toThrow();
    }
  });

  it("notices a stream that was cut, and [DONE]", () => {
    const whole = textOf(events);
    expect(() => followResponse(whole.slice(0, -20))).toThrow();
    expect(() => followResponse(`${whole}data: [DONE]\n\n`)).toThrow();
    expect(followResponse(whole.slice(0, -20), true).response).toBeNull();
  });
});
