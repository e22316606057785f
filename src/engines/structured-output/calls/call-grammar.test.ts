import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { isDeep } from "../../../../test/support/depth.js";
import { GrammarWalker } from "../../../../test/support/inputs/grammar-walker.js";
import { Grammar, text } from "../gbnf.js";
import { schemaGrammar } from "../json-schema/compile.js";
import { oneOfNames } from "../text-choice.js";
import { textUpTo } from "../text-up-to.js";
import { callGrammar, triggersOf, triggersOnlyAtStart } from "./call-grammar.js";
import type { CallGrammarOptions } from "./call-rules.js";
import { families, type FamilyName } from "../../chat-format/families.js";
import type { GrammarTool } from "./call-rules.js";
import { taggedParameters } from "./tagged-parameters.js";
import { replyParser } from "../../chat-format/parser-of.js";
import type { ParsedEvent } from "../../chat-format/reply-events.js";
import { plainSyntax } from "../../chat-format/reply-syntax.js";

const schemas = {
  get_weather: {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["°C", "°F"] },
      days: { type: "integer", minimum: 1, maximum: 14 },
      exact: { type: "boolean" },
    },
    required: ["city", "days"],
    additionalProperties: false,
  },
  "save-note": {
    type: "object",
    properties: {
      text: { anyOf: [{ type: "string" }, { type: "null" }] },
      tags: { type: "array", items: { type: "string", maxLength: 8 }, maxItems: 3 },
      place: { $ref: "#/$defs/place" },
    },
    required: ["text"],
    additionalProperties: false,
    $defs: {
      place: {
        type: "object",
        properties: { x: { type: "number" }, y: { type: "number" } },
        required: ["x", "y"],
        additionalProperties: false,
      },
    },
  },
  /** Its string cannot be held between tags. */
  find_day: {
    type: "object",
    properties: { day: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" } },
    required: ["day"],
    additionalProperties: false,
  },
};
const ajv = new Ajv({ strict: false });
const validators = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

const tools: GrammarTool[] = Object.entries(schemas).map(([name, schema]) => ({
  name,
  argumentsGrammar: schemaGrammar(schema),
  taggedParameters: taggedParameters(schema, { compile: (part) => schemaGrammar(part), exact: true }),
}));
const offered = Object.entries(schemas).map(([name, parameters]) => ({ name, parameters }));

const names = Object.keys(families) as FamilyName[];
const isParallel = (name: FamilyName) => !["llama3", "gptOss"].includes(name);

interface Found {
  text: string;
  reasoning: string;
  calls: { name: string; text: string }[];
}

function summary(events: readonly ParsedEvent[]): Found {
  const found: Found = { text: "", reasoning: "", calls: [] };
  for (const event of events) {
    const last = found.calls.at(-1);
    if (event.type === "call") found.calls.push({ name: event.name, text: "" });
    else if (event.type === "arguments" && last !== undefined) last.text += event.text;
    else if (event.type !== "arguments") found[event.type] += event.text;
  }
  return found;
}

function parse(family: FamilyName, raw: string): Found {
  const parser = replyParser(families[family], { tools: offered, callsExpected: true, reasoningOpen: false });
  return summary([...Array.from(raw).flatMap((char) => parser.push(char)), ...parser.flush()]);
}

function walks(family: FamilyName, options: CallGrammarOptions, count: number) {
  const walker = new GrammarWalker(callGrammar(families[family], tools, options));
  return Array.from({ length: count }, (_, seed) => walker.walk(seed, { reports: /^t\d+-root$/ }));
}

const variants: CallGrammarOptions[] = (["start", "trigger"] as const).flatMap((from) =>
  [true, false].map((parallel) => ({ from, parallel })),
);

describe.each(names)("what the grammar of %s allows", (family) => {
  const syntax = families[family];
  const walked = variants.flatMap((options) =>
    walks(family, options, isDeep ? 60 : 6).map((walk) => ({ ...walk, options })),
  );
  it("is read back as valid calls", () => {
    for (const { text: raw, rules, options } of walked) {
      const found = parse(family, raw);
      const isReply = syntax.type === "generic" && options.from === "trigger" && found.calls.length === 0;
      if (isReply) {
        expect(JSON.parse(raw.slice(raw.lastIndexOf('{"reply":')))).toEqual({ reply: found.text });
        continue;
      }
      expect(found.text, raw).toBe("");
      expect(found.calls.length, raw).toBeGreaterThan(0);
      if (!options.parallel || !isParallel(family)) expect(found.calls.length, raw).toBe(1);
      for (const { name, text } of found.calls) {
        const validate = validators.get(name);
        expect(validate?.(JSON.parse(text)), `${raw}\n${text}`).toBe(true);
      }
      // Where arguments are written as JSON they come back as they were written.
      const written = rules.map(({ name, text }) => ({ name: tools[Number(name.slice(1, -5))]?.name, text }));
      const unknown = found.calls.filter(
        (call) => !written.some(({ name, text }) => name === call.name && text === call.text),
      );
      if (syntax.type !== "marked" || syntax.calls.payload.type !== "tagged") {
        expect(unknown, raw).toEqual([]);
        expect(found.calls.length).toBe(written.length);
      }
    }
  });

  it("has reasoning only where it is a part of the format", () => {
    const reasoned = walks(family, { from: "start", parallel: false }, 60).filter(
      ({ text }) => parse(family, text).reasoning !== "",
    );
    expect(reasoned.length > 0).toBe(syntax.type === "harmony");
  });

  it("begins with a trigger", () => {
    const triggers = triggersOf(syntax);
    const allowed = walks(family, { from: "trigger", parallel: true }, 100);
    if (triggers.length > 0 && family !== "llama3") {
      for (const { text } of allowed)
        expect(
          triggers.some((trigger) => text.startsWith(trigger)),
          text,
        ).toBe(true);
    }
    for (const trigger of triggers)
      expect(
        allowed.some(({ text }) => text.startsWith(trigger)),
        trigger,
      ).toBe(true);
  });

  it("has several calls where they are wanted", () => {
    const several = walks(family, { from: "start", parallel: true }, 60).filter(
      ({ text }) => parse(family, text).calls.length > 1,
    );
    expect(several.length > 0).toBe(isParallel(family));
  });
});

describe("a call between tags", () => {
  it("is written as JSON where the schema cannot be held there", () => {
    expect(tools.find(({ name }) => name === "find_day")?.taggedParameters).toBeNull();
    const raw = walks("qwen3Coder", { from: "start", parallel: false }, 200).map(({ text }) => text);
    expect(raw.some((text) => /<function=find_day>\s*\{/.test(text))).toBe(true);
    expect(raw.some((text) => text.includes("<function=get_weather>"))).toBe(true);
  });

  it("leaves constraints of strings to the model where they need not hold", () => {
    const compile = (part: Readonly<Record<string, unknown>>) => schemaGrammar(part);
    expect(taggedParameters(schemas.find_day, { compile, exact: false })).toEqual([
      { name: "day", required: true, value: { type: "text" } },
    ]);
  });

  it.each([
    { type: "object", properties: { "a>b": { type: "string" } } },
    { type: "object", properties: { a: { type: "string" } }, required: ["b"] },
    { type: "object", properties: { a: { enum: ["<x>"] } } },
    { type: "object", properties: {}, minProperties: 2 },
    { $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
  ])("is not written for what tags cannot say: %j", (schema) => {
    expect(taggedParameters(schema, { compile: () => "", exact: true })).toBeNull();
  });
});

describe("the pieces of grammars", () => {
  it("say where triggers count", () => {
    expect(names.filter((name) => triggersOnlyAtStart(families[name]))).toEqual(["llama3"]);
    expect(triggersOf(plainSyntax)).toEqual([]);
  });

  it("refuse what they cannot write", () => {
    const options = { from: "start", parallel: false } as const;
    expect(() => callGrammar(plainSyntax, tools, options)).toThrow("no calls");
    expect(() => callGrammar(families.hermes, [], options)).toThrow("needs tools");
  });

  it("rename the rules of an embedded grammar and nothing else", () => {
    const gbnf = 'root ::= value{2,3} "root value" [root"-] part-0? # value\nvalue ::= "\\"x" | root\n';
    const grammar = new Grammar();
    expect(grammar.toText(grammar.embed(gbnf))).toBe(
      'root ::= t0-root\nt0-root ::= t0-value{2,3} "root value" [root"-] t0-part-0? # value\nt0-value ::= "\\"x" | t0-root\n',
    );
  });

  it("write the beginnings of names once", () => {
    const entries = ["get_a", "get_b", "get", "set"].map((name) => ({ name, rest: text(`:${name}`) }));
    const printed = (given: typeof entries) => new Grammar().toText(oneOfNames(given));
    expect(printed(entries)).toBe(
      'root ::= (("get" (("_" (("a" ":get_a") | ("b" ":get_b"))) | (":get"))) | ("set" ":set"))\n',
    );
    expect(printed([...entries.slice(0, 1), ...entries.slice(0, 1)])).toBe('root ::= ("get_a" ":get_a")\n');
  });

  it.each(["</think>", "<<a<<b", "aab", "ababc"])("end a text at the first %s", (marker) => {
    const grammar = new Grammar();
    const gbnf = grammar.toText(textUpTo(marker, "text", grammar)) ?? "";
    const walker = new GrammarWalker(gbnf);
    for (let seed = 0; seed < 200; seed++) {
      const { text } = walker.walk(seed, { length: 60 });
      expect(text.indexOf(marker)).toBe(text.length - marker.length);
    }
  });
});
