import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../core/errors.js";
import type { Generation } from "../../../core/serving/engine-port.js";
import { Run } from "./run.js";
import type { Progress } from "../messages.js";
import { usualSampling } from "../../../../test/support/clients/chat-request.js";

const tool = { name: "f", description: undefined, parameters: undefined, strict: true };
const tooling = { tools: [tool], choice: "auto", parallel: true } as const;

function newRun(asked: Partial<Pick<Generation, "format" | "tooling">>): Run {
  const generation: Generation = {
    model: "omega",
    accountId: "a",
    messages: [],
    sampling: usualSampling,
    stop: [],
    choices: 1,
    maxTokens: 1,
    topLogprobs: undefined,
    reasoningEffort: undefined,
    format: { type: "text" },
    tooling: undefined,
    ...asked,
  };
  return new Run({
    id: 1,
    child: { abort: () => undefined },
    prepared: { generation, promptTokens: 1, maxTokens: 1, prompt: undefined },
    firstTokenTimeoutMs: 60_000,
    nextTokenTimeoutMs: 60_000,
    unavailable: () => new ServiceError("engine_unavailable"),
  });
}

const eventsOf = async (run: Run) => {
  const events = [];
  for (let event; (event = await run.stream.next()) !== null;) events.push(event);
  return events;
};

describe("a run whose grammar is too slow", () => {
  const call: Progress = { id: 1, choice: 0, text: "", events: [{ type: "call", name: "f" }] };

  it.each<[string, Partial<Pick<Generation, "format" | "tooling">>, Progress[]]>([
    ["response_format", { format: { type: "json_object" } }, []],
    ["tools", { tooling }, []],
    ["tools", { tooling }, [call]],
    ["response_format", { tooling, format: { type: "json_object" } }, []],
    ["tools", { tooling, format: { type: "json_object" } }, [call]],
  ])("blames %s: %j", async (param, asked, progress) => {
    const run = newRun(asked);
    for (const one of progress) run.progressed(one);
    run.ended({ type: "too_slow" });
    const failed = await eventsOf(run).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "invalid_value", param });
    expect(String(failed)).toContain(`'${param}'`);
  });
});

describe("log probabilities of a run", () => {
  const logprob = { token: "a", bytes: [97], logprob: -1, top: [] };

  it("come with the text that they are of, before a call that came with it", async () => {
    const run = newRun({ tooling });
    const text = { type: "text", text: "a" } as const;
    const call = { type: "call", name: "f" } as const;
    run.progressed({ id: 1, choice: 0, text: "", events: [text, call], logprobs: [logprob] });
    run.ended({ type: "finished", completionTokens: 1, cachedTokens: 0, reasoningTokens: 0 });
    expect(await eventsOf(run)).toMatchObject([
      { type: "text", text: "a", logprobs: [logprob] },
      { type: "call", name: "f" },
      { type: "done" },
    ]);
  });
});
