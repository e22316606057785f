import { describe, expect, it } from "vitest";
import type { FinishReason } from "../../core/chat/reply.js";
import type { Tooling } from "../../core/chat/request.js";
import type { GenerationEvent } from "../../core/serving/engine-port.js";
import { CallReader } from "./call-reader.js";
import type { CallDelta } from "./chunk.js";

const tool = (name: string) => ({ name, description: undefined, parameters: undefined, strict: false });
const toolingOf = (...names: string[]): Tooling => ({
  tools: names.map(tool),
  choice: "auto",
  parallel: true,
});
const usual = toolingOf("get", "get_weather", "send");

const part = (index: number | undefined, changes: Partial<CallDelta>): CallDelta => ({
  index,
  id: "",
  name: "",
  arguments: "",
  ...changes,
});

interface Told {
  id: string;
  name: string;
  text: string;
}

/** Fails when arguments are not those of the last call. */
function callsIn(events: readonly GenerationEvent[]): Told[] {
  const calls: Told[] = [];
  for (const event of events) {
    if (event.type === "call") calls.push({ id: event.id, name: event.name, text: "" });
    const last = calls.at(-1);
    if (event.type !== "arguments") continue;
    if (last === undefined || event.call !== calls.length - 1) throw new Error("arguments of another call");
    last.text += event.text;
  }
  return calls;
}

function read(
  deltas: readonly CallDelta[],
  tooling: Tooling | null = usual,
  reason: FinishReason = "stop",
): Told[] {
  let ids = 0;
  const reader = new CallReader(0, tooling ?? undefined, () => `made_${(ids += 1)}`);
  const events: GenerationEvent[] = [];
  for (const delta of deltas) reader.read(delta, events);
  reader.finish(reason, events);
  return callsIn(events);
}

const two = [
  { id: "a", name: "get_weather", text: '{"city":"Oslo"}' },
  { id: "b", name: "get_weather", text: '{"city":"Rome"}' },
];

describe("calls in an engine's stream", () => {
  it.each<[string, CallDelta[]]>([
    [
      "as they should be",
      [
        part(0, { id: "a", name: "get_weather" }),
        part(0, { arguments: '{"city":' }),
        part(0, { arguments: '"Oslo"}' }),
        part(1, { id: "b", name: "get_weather", arguments: '{"city"' }),
        part(1, { arguments: ':"Rome"}' }),
      ],
    ],
    [
      "whole, all with the index 0",
      [
        part(0, { id: "a", name: "get_weather", arguments: '{"city":"Oslo"}' }),
        part(0, { id: "b", name: "get_weather", arguments: '{"city":"Rome"}' }),
      ],
    ],
    [
      "in parts, all with the index 0",
      [
        part(0, { id: "a", name: "get_weather" }),
        part(0, { arguments: '{"city":"Oslo"}' }),
        part(0, { id: "b", name: "get_weather" }),
        part(0, { arguments: '{"city":"Rome"}' }),
      ],
    ],
    [
      "without an index",
      [
        part(undefined, { id: "a", name: "get_weather", arguments: '{"city":"Oslo"}' }),
        part(undefined, { id: "b", name: "get_weather", arguments: '{"city":' }),
        part(undefined, { arguments: '"Rome"}' }),
      ],
    ],
    [
      "with id and name in every part",
      [
        part(0, { id: "a", name: "get_weather" }),
        part(0, { id: "a", name: "get_weather", arguments: '{"city":' }),
        part(0, { id: "a", name: "get_weather", arguments: '"Oslo"}' }),
        part(0, { id: "a", name: "get_weather" }),
        part(1, { id: "b", name: "get_weather", arguments: '{"city":"Rome"}' }),
        part(1, { id: "b", name: "get_weather" }),
      ],
    ],
    [
      "with a new id in every part",
      [
        part(0, { id: "a", name: "get_weather", arguments: '{"ci' }),
        part(0, { id: "x", name: "get_weather", arguments: 'ty":"Oslo"' }),
        part(0, { id: "y", name: "get_weather", arguments: "}" }),
        part(0, { id: "z", name: "get_weather", arguments: "" }),
        part(1, { id: "b", name: "get_weather", arguments: '{"city":"Rome"}' }),
      ],
    ],
    [
      "with names in pieces",
      [
        part(0, { id: "a", name: "get" }),
        part(0, { name: "_wea" }),
        part(0, { name: "ther" }),
        part(0, { arguments: '{"city":"Oslo"}' }),
        part(1, { id: "b" }),
        part(1, { name: "get_" }),
        part(1, { name: "weather", arguments: '{"city":"Rome"}' }),
      ],
    ],
    [
      "interleaved",
      [
        part(0, { id: "a", name: "get_weather", arguments: '{"city"' }),
        part(1, { id: "b", name: "get_weather", arguments: '{"ci' }),
        part(0, { arguments: ':"Oslo"' }),
        part(1, { arguments: 'ty":"Rome"}' }),
        part(0, { arguments: "}" }),
      ],
    ],
    [
      "with parts that say nothing",
      [
        part(2, {}),
        part(0, { id: "a", name: "get_weather" }),
        part(0, {}),
        part(0, { arguments: '{"city":"Oslo"}' }),
        part(1, { id: "b", name: "get_weather" }),
        part(1, { arguments: '{"city":"Rome"}' }),
        part(1, {}),
      ],
    ],
  ])("are the same %s", (_, deltas) => {
    expect(read(deltas)).toEqual(two);
  });

  it("begin another at a new name, with the same index and no id", () => {
    const deltas = [
      part(0, { name: "get", arguments: '{"a":"}"}' }),
      part(0, { name: "get", arguments: '{"a":2}' }),
      part(0, { name: "send", arguments: "{}" }),
    ];
    expect(read(deltas)).toEqual([
      { id: "made_1", name: "get", text: '{"a":"}"}' },
      { id: "made_2", name: "get", text: '{"a":2}' },
      { id: "made_3", name: "send", text: "{}" },
    ]);
  });

  it("get an id of ours when theirs is missing, has been there or is too long", () => {
    const long = "i".repeat(300);
    const deltas = ["", "call_0", "call_0", long].map((id, index) =>
      part(index, { id, name: "send", arguments: "{}" }),
    );
    expect(read(deltas).map(({ id }) => id)).toEqual(["made_1", "call_0", "made_2", "made_3"]);
  });

  it("have an empty object for arguments that never came", () => {
    const deltas = [part(0, { id: "a", name: "send" }), part(1, { id: "b", name: "get", arguments: " " })];
    expect(read(deltas)).toEqual([
      { id: "a", name: "send", text: "{}" },
      { id: "b", name: "get", text: " {}" },
    ]);
  });

  it("are told as they come", () => {
    const reader = new CallReader(0, usual, () => "made");
    const eventsOf = (delta: CallDelta) => {
      const events: GenerationEvent[] = [];
      reader.read(delta, events);
      return events;
    };
    expect(eventsOf(part(0, { id: "a", name: "send" }))).toEqual([
      { type: "call", choice: 0, call: 0, id: "a", name: "send" },
    ]);
    expect(eventsOf(part(0, { arguments: '{"to' }))).toEqual([
      { type: "arguments", choice: 0, call: 0, text: '{"to' },
    ]);
    expect(eventsOf(part(1, { id: "b", name: "get_weather", arguments: "{}" }))).toEqual([]);
    expect(eventsOf(part(0, { arguments: '":1}' }))).toEqual([
      { type: "arguments", choice: 0, call: 0, text: '":1}' },
      { type: "call", choice: 0, call: 1, id: "b", name: "get_weather" },
      { type: "arguments", choice: 0, call: 1, text: "{}" },
    ]);
  });

  it("have the name of a function that is none of the tools, when its arguments come", () => {
    expect(read([part(0, { id: "a", name: "gett", arguments: "{}" })])).toEqual([
      { id: "a", name: "gett", text: "{}" },
    ]);
  });

  it("are at most one where several are not wanted, and none where nothing can be called", () => {
    const deltas = [
      part(0, { id: "a", name: "send", arguments: "{}" }),
      part(1, { id: "b", name: "send", arguments: "{}" }),
      part(1, { arguments: " " }),
    ];
    expect(read(deltas, { ...usual, parallel: false }).map(({ id }) => id)).toEqual(["a"]);
    expect(read(deltas, null)).toEqual([]);
  });

  it.each([
    ["end in the middle", '{"city":"Os'],
    ["are no JSON", "city=Oslo"],
    ["go on after their end", '{"city":"Oslo"}}'],
  ])("fail when their arguments %s, unless the reply was cut short", (_, text) => {
    const deltas = [part(0, { id: "a", name: "send", arguments: text })];
    for (const reason of ["stop", "tool_calls"] as const) {
      expect(() => read(deltas, usual, reason)).toThrow(
        expect.objectContaining({ code: "engine_unavailable" }) as Error,
      );
    }
    expect(read(deltas, usual, "length")).toEqual([{ id: "a", name: "send", text }]);
  });

  it("fail without a name", () => {
    expect(() => read([part(0, { id: "a", arguments: "{}" })])).toThrow();
  });

  it.each<[string, (index: number) => CallDelta]>([
    ["calls without end", (index) => part(index, { name: "send", arguments: "{}" })],
    ["calls without end, all with one index", () => part(0, { name: "send", arguments: "{}" })],
    ["arguments without end", () => part(0, { name: "send", arguments: `"${"x".repeat(4096)}` })],
    ["a name without end", () => part(0, { name: "x".repeat(4096) })],
  ])("are not kept when they are %s", (_, delta) => {
    const reader = new CallReader(0, usual, () => "made");
    expect(() => {
      for (let index = 0; index < 100_000; index++) reader.read(delta(index), []);
    }).toThrow(expect.objectContaining({ code: "engine_unavailable" }) as Error);
  });
});
