import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { families, type FamilyName } from "./families.js";
import { replyParser, type ParserOptions } from "./parser-of.js";
import type { ParsedEvent } from "./reply-events.js";
import { plainSyntax, type ReplySyntax } from "./reply-syntax.js";
import { tools, transcripts, type Transcript } from "../../../test/support/inputs/reply-transcripts.js";
import { runs } from "../../../test/support/depth.js";

const names = Object.keys(families) as FamilyName[];
const cases = names.flatMap((family) =>
  transcripts[family].map((transcript) => [`${family}: ${transcript.name}`, family, transcript] as const),
);

type Joined = (readonly [type: string, text: string])[];

function read(syntax: ReplySyntax, fragments: readonly string[], options: Partial<ParserOptions> = {}) {
  const parser = replyParser(syntax, { tools, callsExpected: true, reasoningOpen: false, ...options });
  return [...fragments.flatMap((fragment) => parser.push(fragment)), ...parser.flush()];
}

function joined(events: readonly ParsedEvent[]): Joined {
  const result: [string, string][] = [];
  for (const event of events) {
    const text = event.type === "call" ? event.name : event.text;
    const last = result.at(-1);
    if (last !== undefined && event.type !== "call" && last[0] === event.type) last[1] += text;
    else result.push([event.type, text]);
  }
  return result;
}

const inTranscript = ({ reasoningOpen = false }: Transcript) => ({ reasoningOpen });
const cutAt = (text: string, places: readonly number[]): string[] => {
  const ends = [...places, text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
};
const textOf = (events: Joined, type: string): string =>
  events
    .filter(([kind]) => kind === type)
    .map(([, text]) => text)
    .join("");

describe.each(cases)("the reply of %s", (_, family, transcript) => {
  const syntax = families[family];
  const { raw, events } = transcript;

  it("is read as what it is", () => {
    expect(joined(read(syntax, [raw], inTranscript(transcript)))).toEqual(events);
  });

  it("is read the same however it is cut", () => {
    const isReadTheSame = (place: number) =>
      isDeepStrictEqual(joined(read(syntax, cutAt(raw, [place]), inTranscript(transcript))), events);
    // In UTF-16 units: also within a character.
    const places = Array.from({ length: raw.length - 1 }, (_, before) => before + 1);
    expect(places.filter((place) => !isReadTheSame(place))).toEqual([]);
    expect(joined(read(syntax, raw.split(""), inTranscript(transcript)))).toEqual(events);
    fc.assert(
      fc.property(fc.array(fc.nat(raw.length), { maxLength: 12 }), (places) => {
        expect(joined(read(syntax, cutAt(raw, places), inTranscript(transcript)))).toEqual(events);
      }),
      { numRuns: runs(80) },
    );
  });

  it("gives out whole characters, and places that only grow", () => {
    const found = read(syntax, raw.split(""), inTranscript(transcript));
    for (const event of found) expect(event.type === "call" || event.text.isWellFormed()).toBe(true);
    const ends = found.map(({ end }) => end);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends.at(-1)).toBeLessThanOrEqual(raw.length);
  });
});

const markup = [
  ..."<tool_call> </tool_call> <think> </think> [TOOL_CALLS] [ARGS] [CALL_ID] <|tool_call|> <|/tool_call|>".split(
    " ",
  ),
  ..."<|python_tag|> <｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> <｜tool▁call▁end｜> [THINK] [/THINK]".split(
    " ",
  ),
  ..."<function= > <parameter= </parameter> </function> <arg_key> </arg_key> <arg_value> </arg_value>".split(
    " ",
  ),
  ..."<|START_ACTION|> <|END_ACTION|> <|START_RESPONSE|> <|channel|> <|message|> <|end|> <|start|> <|call|>".split(
    " ",
  ),
  ...'{ } [ ] : , " \\ \\u12 {"name": "get_weather", "arguments": "parameters": {"calls": {"reply": " to=functions.f'.split(
    " ",
  ),
  ...[
    "analysis",
    "final",
    "commentary",
    "\n",
    "\n```json\n",
    " ",
    "get_weather",
    "null",
    "12",
    "😀",
    "\ud83d",
    "text ",
  ],
];
const sprinkled = fc.array(fc.constantFrom(...markup), { maxLength: 25 });
const cuts = fc.array(fc.nat(400), { maxLength: 8 });

describe("any text at all", () => {
  it.each(names)("is read the same however it is cut, as %s", (family) => {
    const syntax = families[family];
    fc.assert(
      fc.property(
        sprinkled,
        cuts,
        fc.boolean(),
        fc.boolean(),
        (parts, places, reasoningOpen, callsExpected) => {
          const raw = parts.join("");
          const options = { reasoningOpen, callsExpected };
          const whole = joined(read(syntax, [raw], options));
          const within = places.map((place) => place % (raw.length + 1));
          expect(joined(read(syntax, cutAt(raw, within), options))).toEqual(whole);
          expect(joined(read(syntax, raw.split(""), options))).toEqual(whole);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it.each(names)("without markup stays as it is, as %s", (family) => {
    const plain = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "<", "|", "😀", "t", ",") });
    fc.assert(
      fc.property(plain, cuts, (text, places) => {
        const raw = `x${text}`;
        const fragments = cutAt(
          raw,
          places.map((place) => place % (raw.length + 1)),
        );
        expect(textOf(joined(read(families[family], fragments)), "text")).toBe(raw);
      }),
    );
  });

  it("stays as it is where nothing has a meaning", () => {
    fc.assert(
      fc.property(sprinkled, (parts) => {
        const raw = parts.join("");
        expect(textOf(joined(read(plainSyntax, parts)), "text")).toBe(raw);
      }),
    );
  });

  it.each(names)("never shows markers of calls, as %s", (family) => {
    const syntax = families[family];
    const markers =
      syntax.type === "marked" ? [syntax.calls.open, syntax.calls.close, syntax.calls.groupOpen] : [];
    fc.assert(
      fc.property(sprinkled, (parts) => {
        const text = textOf(joined(read(syntax, parts)), "text");
        for (const marker of markers.filter((one) => one !== "")) expect(text).not.toContain(marker);
      }),
    );
  });
});

describe("what is held back", () => {
  it.each(names.filter((name) => name !== "gptOss" && !name.startsWith("generic")))(
    "is the beginning of a marker and no more, as %s",
    (family) => {
      const parser = replyParser(families[family], { tools, callsExpected: true, reasoningOpen: false });
      const raw = "Words and < | [ ` more words <|to [TOOL_ <tool <｜tool▁ca words. ".repeat(3);
      let [pushed, shown] = [0, 0];
      for (const char of raw) {
        pushed += char.length;
        for (const event of parser.push(char)) shown += event.type === "text" ? event.text.length : 0;
        expect(pushed - shown).toBeLessThanOrEqual(30);
      }
      // The space at the end may still turn out to stand before a call.
      expect(pushed - shown).toBe(1);
    },
  );

  it("is little of a long run of whitespace", () => {
    const parser = replyParser(families.hermes, { tools, callsExpected: true, reasoningOpen: false });
    const shown = parser.push(`a${" ".repeat(1000)}`);
    expect(textOf(joined(shown), "text").length).toBe(1001 - 64);
    expect(textOf(joined([...parser.push("b")]), "text").length).toBe(65);
  });

  it("is nothing of arguments once the name is known", () => {
    const parser = replyParser(families.hermes, { tools, callsExpected: true, reasoningOpen: false });
    parser.push('<tool_call>{"name": "get_weather", "arguments": ');
    expect(joined(parser.push('{"city": "Pa'))).toEqual([["arguments", '{"city": "Pa']]);
    expect(joined(parser.push("ris"))).toEqual([["arguments", "ris"]]);
  });

  it("is nothing of a string between tags", () => {
    const parser = replyParser(families.qwen3Coder, { tools, callsExpected: true, reasoningOpen: false });
    parser.push("<tool_call>\n<function=get_weather>\n<parameter=city>\n");
    expect(joined(parser.push("Par"))).toEqual([["arguments", '"Par']]);
    expect(joined(parser.push("is\n"))).toEqual([["arguments", "is"]]);
  });

  it("is bounded when a call without a marker never gets a name", () => {
    const parser = replyParser(families.llama3, { tools, callsExpected: true, reasoningOpen: false });
    const shown = parser.push(`{"name": "${"x".repeat(1000)}`);
    expect(textOf(joined(shown), "text").length).toBeGreaterThan(800);
  });
});

describe("without tools", () => {
  it("markers of calls are text, and reasoning is split off all the same", () => {
    const raw = '<think>Hm.</think>\n<tool_call>{"name": "f"}</tool_call>';
    expect(joined(read(families.qwen3, [raw], { callsExpected: false }))).toEqual([
      ["reasoning", "Hm."],
      ["text", '<tool_call>{"name": "f"}</tool_call>'],
    ]);
  });

  it("our own format is not expected", () => {
    const raw = '{"reply": "x"}';
    expect(joined(read(families.generic, [raw], { callsExpected: false }))).toEqual([["text", raw]]);
  });
});
