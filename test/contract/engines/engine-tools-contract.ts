/**
 * The promises of the `Engine` interface about tools, to be run on every implementation. Nothing here knows what
 * decides to call: `required` makes every engine do so, and schemas leave little room for what.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReplyLogprob } from "../../../src/core/chat/reply.js";
import type { ChatMessage, Tooling } from "../../../src/core/chat/request.js";
import type { Usage } from "../../../src/core/chat/reply.js";
import type { Engine, Generation, GenerationEvent } from "../../../src/core/serving/engine-port.js";
import { type EngineUnderTest, generationOf, never } from "./engine-contract.js";
import { eachOf } from "../../support/engines/each-of.js";

/** A choice, its parts joined. */
export interface Said {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finishReason: string | undefined;
  logprobs: ReplyLogprob[];
}

/** Fails when events come in an order that the interface does not promise. */
export function saidIn(events: readonly GenerationEvent[], choice = 0): Said {
  const said: Said = { text: "", reasoning: "", calls: [], finishReason: undefined, logprobs: [] };
  /** The call that may still get arguments: nothing else has come since it began. */
  let openCall: number | undefined;
  for (const event of events) {
    if (event.type === "done" || event.choice !== choice) continue;
    expect(said.finishReason).toBeUndefined();
    if (event.type !== "arguments") openCall = undefined;
    switch (event.type) {
      case "text":
        said.text += event.text;
        said.logprobs.push(...(event.logprobs ?? []));
        break;
      case "reasoning":
        expect([said.text, said.calls]).toEqual(["", []]);
        said.reasoning += event.text;
        break;
      case "call":
        expect(event.call).toBe(said.calls.length);
        openCall = event.call;
        said.calls.push({ id: event.id, name: event.name, arguments: "" });
        break;
      case "vectors":
      case "scores":
        throw new Error("a chat has neither vectors nor scores");
      case "arguments": {
        const last = said.calls.at(-1);
        if (last === undefined || event.call !== openCall) throw new Error("arguments of no open call");
        last.arguments += event.text;
        break;
      }
      case "finished":
        said.finishReason = event.finishReason;
    }
  }
  return said;
}

/** Of the one `done` at the end. */
export function usageIn(events: readonly GenerationEvent[]): Usage {
  const done = events.flatMap((event) => (event.type === "done" ? [event] : []));
  const [only] = done;
  if (only === undefined || done.length > 1 || events.at(-1) !== only) throw new Error("one end, at the end");
  return only.usage;
}

export async function eventsOf(engine: Engine, generation: Generation): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  const prepared = await engine.prepare(generation, never());
  for await (const event of eachOf(engine.generate(prepared, never()))) {
    events.push(event);
  }
  return events;
}

const tool = (name: string, ...cities: string[]) => ({
  name,
  description: `Looks up the ${name} of a city`,
  parameters: {
    type: "object",
    properties: { city: { enum: cities } },
    required: ["city"],
    additionalProperties: false,
  },
  strict: true,
});
const tools = [tool("weather", "Oslo", "Rome"), tool("time", "Lima")];
const cities: Record<string, readonly string[]> = { weather: ["Oslo", "Rome"], time: ["Lima"] };
const required: Tooling = { tools, choice: "required", parallel: true };

export function describeToolContract(name: string, makeEngine: () => Promise<EngineUnderTest>): void {
  describe(`${name} keeps the promises of an engine about tools`, () => {
    let underTest: EngineUnderTest;
    let engine: Engine;
    beforeAll(async () => {
      underTest = await makeEngine();
      engine = underTest.engine;
    });
    afterAll(() => underTest.dispose());

    const asking = (changes: Partial<Generation> = {}) =>
      generationOf("What is it like there?", { tooling: required, maxTokens: 300, ...changes });

    const expectCalls = ({ calls, finishReason }: Said) => {
      expect(finishReason).toBe("tool_calls");
      expect(calls.length).toBeGreaterThan(0);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      for (const call of calls) {
        expect(call.id).not.toBe("");
        const { city, ...rest } = JSON.parse(call.arguments) as { city: string };
        expect(rest).toEqual({});
        expect(cities[call.name]).toContain(city);
      }
    };

    it("calls when it must, with arguments that follow the schema", async () => {
      const events = await eventsOf(engine, asking());
      expectCalls(saidIn(events));
      expect(usageIn(events).completionTokens).toBeGreaterThan(0);
    });

    it("calls the one function that it may, once where several calls are not wanted", async () => {
      for (const one of tools) {
        const tooling: Tooling = { tools: [one], choice: "required", parallel: false };
        const said = saidIn(await eventsOf(engine, asking({ tooling })));
        expectCalls(said);
        expect(said.calls.map((call) => call.name)).toEqual([one.name]);
      }
    });

    it("counts tools as part of the prompt", async () => {
      const tokens = async (tooling: Tooling | undefined) =>
        (await engine.prepare(asking({ tooling }), never())).promptTokens;
      const [none, one, both] = [
        await tokens(undefined),
        await tokens({ ...required, tools: tools.slice(0, 1) }),
        await tokens(required),
      ];
      expect(one).toBeGreaterThan(none);
      expect(both).toBeGreaterThan(one);
      const { promptTokens } = usageIn(await eventsOf(engine, asking()));
      expect(promptTokens).toBe(both);
    });

    it("goes on after calls and their results", async () => {
      const messages: ChatMessage[] = [
        { role: "user", content: "What is it like there?" },
        {
          role: "assistant",
          content: "",
          toolCalls: [
            { id: "call_a", name: "weather", arguments: '{"city":"Oslo"}' },
            { id: "call_b", name: "time", arguments: '{"city":"Lima"}' },
          ],
        },
        { role: "tool", content: "Snow", toolCallId: "call_a" },
        { role: "tool", content: "Noon", toolCallId: "call_b" },
      ];
      expectCalls(saidIn(await eventsOf(engine, asking({ messages }))));
      const { calls, finishReason } = saidIn(
        await eventsOf(engine, asking({ messages, tooling: undefined, maxTokens: 8 })),
      );
      expect(calls).toEqual([]);
      expect(finishReason).not.toBe("tool_calls");
    });

    it("gives each of several choices its own calls", async () => {
      const events = await eventsOf(engine, asking({ choices: 2 }));
      for (const choice of [0, 1]) expectCalls(saidIn(events, choice));
    });
  });
}
