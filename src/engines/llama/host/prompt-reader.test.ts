import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../core/chat/request.js";
import type { Generation } from "../../../core/serving/engine-port.js";
import { plainSyntax } from "../../chat-format/reply-syntax.js";
import type { EngineChild } from "./child.js";
import { PromptReader, requireFits } from "./prompt-reader.js";
import type { Conversation, LoadedFacts, ToWorker } from "../messages.js";
import { generationOf } from "../../../../test/contract/engines/engine-contract.js";

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

const said = (content: string): Conversation => ({
  messages: [{ role: "user", content }],
  tools: [],
  reasoningEffort: undefined,
});

/** A child that answers when it is told to. */
function setUp() {
  let id = 0;
  const reader = new PromptReader(() => id++);
  const asked: { id: number; content: string }[] = [];
  const child: Pick<EngineChild, "send"> = {
    send: (message: ToWorker) => {
      if (message.type !== "prepare") return;
      const content = "messages" in message.prompt ? message.prompt.messages[0]?.content : undefined;
      asked.push({ id: message.id, content: content ?? "" });
    },
  };
  const read = (accountId: string, content: string, signal = never) =>
    reader.read(() => Promise.resolve(child), { accountId, prompt: said(content) }, signal);
  const answer = async () => {
    await settled();
    const last = asked.at(-1);
    if (last !== undefined) reader.answered(last.id, { type: "refused" });
    await settled();
  };
  return { reader, read, answer, asked: () => asked.map(({ content }) => content) };
}

describe("reading prompts", () => {
  it("gives the child one at a time, and accounts in turns", async () => {
    const { read, answer, asked } = setUp();
    const all = ["a1", "a2", "a3"].map((content) => read("a", content));
    await settled();
    all.push(read("b", "b1"));
    for (let turn = 0; turn < 4; turn++) await answer();
    await Promise.all(all);
    expect(asked()).toHaveLength(4);
    expect(asked().indexOf("b1")).toBeLessThanOrEqual(2);
  });

  it("passes over one that hung up while it waited", async () => {
    const { read, answer, asked } = setUp();
    const hangUp = new AbortController();
    const first = read("a", "first");
    const gone = read("a", "gone", hangUp.signal);
    const last = read("a", "last");
    hangUp.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    await answer();
    await answer();
    await Promise.all([first, last]);
    expect(asked()).toEqual(["first", "last"]);
  });

  it("gives the child nothing more while it is busy with one that hung up", async () => {
    const { read, answer, asked } = setUp();
    const hangUp = new AbortController();
    const gone = read("a", "gone", hangUp.signal);
    await settled();
    hangUp.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    const next = read("b", "next");
    await settled();
    expect(asked()).toEqual(["gone"]);
    await answer();
    expect(asked()).toEqual(["gone", "next"]);
    await answer();
    await next;
  });

  it("goes on with another child when one is lost", async () => {
    const { reader, read, answer, asked } = setUp();
    const lost = read("a", "lost");
    await settled();
    reader.loseAll();
    expect(await lost).toBeNull();
    const next = read("a", "next");
    await answer();
    await next;
    expect(asked()).toEqual(["lost", "next"]);
  });
});

describe("a conversation that cannot fit", () => {
  const facts: LoadedFacts = {
    loadMs: 1,
    threads: 1,
    contextTokens: 2048,
    sequences: 4,
    cacheType: "f16",
    gpuLayers: 0,
    layers: 1,
    vocabularySize: 100,
    syntax: plainSyntax,
    template: {
      turn: 2,
      round: 4,
      repeated: { user: 2, assistant: 2, system: 0, tool: 1 },
      call: 2,
      tool: 0,
    },
    hasTemplate: true,
    hasInfill: false,
    gpu: "cpu",
    isExtended: false,
    description: "",
    memoryBytes: 1,
  };
  const generation: Generation = generationOf("Hi.");
  const turns = (length: number): Conversation => ({
    ...said(""),
    messages: Array.from({ length }, (_, index): ChatMessage => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: "x",
    })),
  });

  it("is refused by the number of its messages, before it is rendered", () => {
    expect(() => {
      requireFits(generation, turns(1801), facts);
    }).toThrow(/maximum context length is 2048 tokens.*at least 3600 tokens/);
    requireFits(generation, turns(1001), facts);
  });

  it("is refused by the number of its calls", () => {
    const toolCalls = Array.from({ length: 1100 }, (_, id) => ({
      id: String(id),
      name: "f",
      arguments: "{}",
    }));
    const messages: ChatMessage[] = [{ role: "assistant", content: "", toolCalls }];
    expect(() => {
      requireFits(generation, { ...said(""), messages }, facts);
    }).toThrow(/at least 2198 tokens/);
  });
});
