/** When a grammar begins, with the parser that tells reasoning from the reply and the grammars of the native code. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReplyFormat, Tooling } from "../../../../core/chat/request.js";
import { families, type FamilyName } from "../../../chat-format/families.js";
import { replyParser } from "../../../chat-format/parser-of.js";
import { callsText } from "../../../chat-format/write-calls.js";
import { grammarPlan, parsingPlan, withReasoning } from "../../host/reply-plan.js";
import type { GrammarPlan } from "../../messages.js";
import { type LoadedModel, loadModel } from "../addon.js";
import { type GrammarState, LazyGrammar } from "./lazy-grammar.js";
import { Reply } from "./reply.js";
import { triggersOf } from "../../../structured-output/calls/call-grammar.js";
import { callsGrammar } from "../../../structured-output/calls/calls-request.js";
import { objectGrammar, schemaGrammar } from "../../../structured-output/json-schema/compile.js";
import { tinyLoad, writeTinyGguf } from "../../../../../test/support/engines/tiny-gguf.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-lazy-grammar-"));
let model: LoadedModel;

beforeAll(async () => {
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights);
  model = await loadModel(tinyLoad(weights, { sequences: 1 }));
});
afterAll(async () => {
  await model.dispose();
  rmSync(folder, { recursive: true });
});

const schema = {
  type: "object",
  properties: { days: { type: "integer" } },
  required: ["days"],
  additionalProperties: false,
};
const tooling: Tooling = {
  tools: [{ name: "get_weather", description: undefined, parameters: schema, strict: true }],
  choice: "auto",
  parallel: true,
};
const jsonSchema: ReplyFormat = { type: "json_schema", name: "weather", schema, strict: true };

const grammars = {
  of: (format: ReplyFormat) =>
    Promise.resolve(
      format.type === "json_schema"
        ? schemaGrammar(format.schema, { strict: true })
        : format.type === "json_object"
          ? objectGrammar()
          : undefined,
    ),
  ofCalls: (request: Parameters<typeof callsGrammar>[0]) => Promise.resolve(callsGrammar(request)),
};

interface Asked {
  tooling?: Tooling;
  format?: ReplyFormat;
  reasoningOpen?: boolean;
}

/** A reply to such a request that is written byte by byte, each a token of its own. */
async function writer(family: FamilyName, asked: Asked) {
  const { reasoningOpen = false, format = { type: "text" } } = asked;
  const syntax = families[family];
  const wanted = { format, tooling: asked.tooling, accountId: "a" };
  const planned = await grammarPlan(wanted, syntax, grammars, new AbortController().signal);
  const plan = withReasoning(planned, syntax, reasoningOpen);
  const parsing = parsingPlan(wanted, syntax, reasoningOpen);
  if (plan === undefined || parsing === undefined) throw new Error("Expected a plan.");
  const { vocabulary } = model;
  const { tools } = parsing;
  const reply = new Reply({
    ...vocabulary,
    detokenize: (tokens) => vocabulary.detokenizeAll(tokens),
    stop: [],
    maxTokens: 10_000,
    parser: replyParser(syntax, { tools, callsExpected: tools.length > 0, reasoningOpen }),
  });
  const bytesOf = (token: number) => vocabulary.bytesOf(token);
  const grammar = new LazyGrammar(model.grammars, { plan, bytesOf, reply });
  const firstByteToken = 3;
  return {
    reply,
    grammar,
    write: (text: string): void => {
      for (const byte of Buffer.from(text)) {
        const token = firstByteToken + byte;
        if (!grammar.allows(token)) throw new Error(`'${String.fromCharCode(byte)}' is not allowed`);
        grammar.accept(token, false);
        reply.accept({ token });
      }
    },
    allows: (char: string) => grammar.allows(firstByteToken + char.charCodeAt(0)),
  };
}

const thinking = (Object.keys(families) as FamilyName[]).filter((name) => {
  const syntax = families[name];
  return syntax.type === "marked" && syntax.reasoning !== null;
});

/** How the family writes a call, up to the number in its arguments. */
function callOf(name: FamilyName): string {
  const syntax = families[name];
  if (syntax.type === "harmony") throw new Error("Written by hand.");
  const text = callsText(syntax, [{ name: "get_weather", arguments: { days: 77 } }]);
  return text.slice(0, text.indexOf("77"));
}

describe.each(thinking)("after the reasoning of %s", (name) => {
  const syntax = families[name];
  const { open, close } =
    syntax.type === "marked" && syntax.reasoning !== null ? syntax.reasoning : { open: "", close: "" };

  it.each([
    ["that the reply begins with", { tooling }, `${open}\nI could write ${callOf(name)}`],
    ["that the prompt began", { tooling, reasoningOpen: true }, `I could write ${callOf(name)}`],
  ])("%s, a strict tool is enforced from its call on", async (_, asked, thoughts) => {
    for (const gap of ["", "\n", "\n\n"]) {
      const { write, allows, grammar } = await writer(name, asked);
      write(`${thoughts}x.\n${close}`);
      expect(grammar.state).toBeNull();
      write(gap + callOf(name));
      expect([allows("x"), allows("7")]).toEqual([false, true]);
    }
  });
});

describe("after the analysis of gpt-oss", () => {
  const callTo = "functions.get_weather";
  const analysis = `<|channel|>analysis<|message|>I could write <|constrain|> to=${callTo} {"days": x.<|end|>`;

  it.each([
    `<|start|>assistant<|channel|>commentary to=${callTo} <|constrain|>json<|message|>{"days":`,
    `<|start|>assistant to=${callTo}<|channel|>commentary<|message|>{"days":`,
    `<|channel|>commentary to=${callTo}<|message|>{"days":`,
  ])("a strict tool is enforced: %s", async (call) => {
    const { write, allows } = await writer("gptOss", { tooling });
    write(analysis + call);
    expect([allows("x"), allows("7")]).toEqual([false, true]);
  });

  const [start, final] = ["<|start|>assistant", "<|channel|>final<|message|>"];
  const endOfText = 2;

  it.each([["json_object", { type: "json_object" }] as const, ["json_schema", jsonSchema] as const])(
    "a reply beside tools follows %s, after as much analysis as the model wants",
    async (_, format) => {
      const { write, grammar, allows } = await writer("gptOss", { tooling, format });
      write(analysis + start + analysis + start + final);
      expect([allows("x"), allows("{")]).toEqual([false, true]);
      write('{"days": 7}');
      expect(grammar.allows(endOfText)).toBe(true);
    },
  );

  it("a tool can still be called where a reply must be JSON", async () => {
    const { write, allows } = await writer("gptOss", { tooling, format: jsonSchema });
    write(`${analysis}${start}<|channel|>commentary to=${callTo} <|constrain|>json<|message|>{"days":`);
    expect([allows("x"), allows("7")]).toEqual([false, true]);
  });

  it("a schema is enforced", async () => {
    for (const type of ["", " <|constrain|>json"]) {
      const { write, allows } = await writer("gptOss", { format: jsonSchema });
      write(`${analysis}<|start|>assistant<|channel|>final${type}<|message|>{"days":`);
      expect([allows("x"), allows("7")]).toEqual([false, true]);
    }
  });
});

describe("a grammar that begins on a trigger", () => {
  /** Begins nowhere by itself; what it was made for and what it has read. */
  const recorded = () => {
    const made = new Map<GrammarState, { gbnf: string; tokens: number[] }>();
    const native = {
      newState: (gbnf: string) => {
        const state = {};
        made.set(state, { gbnf, tokens: [] });
        return state;
      },
      allows: () => true,
      accept: (state: GrammarState, token: number) => made.get(state)?.tokens.push(token),
    };
    return { made, native };
  };

  /** The texts of the tokens that the grammar has read, for a reply whose tokens have these texts. */
  function readBy(family: FamilyName, texts: readonly string[], plan: Partial<GrammarPlan> = {}) {
    const syntax = families[family];
    const textOf = (token: number) => texts[token] ?? "";
    const reply = new Reply({
      detokenize: (tokens) => Array.from(tokens, textOf).join(""),
      bytesOf: (token) => Buffer.from(textOf(token)),
      isEndOfGeneration: () => false,
      stop: [],
      maxTokens: 1000,
      parser: replyParser(syntax, { tools: tooling.tools, callsExpected: true, reasoningOpen: false }),
    });
    const { made, native } = recorded();
    const lazy = new LazyGrammar(native, {
      plan: { gbnf: "root ::= any\n", triggers: triggersOf(syntax), ...plan },
      bytesOf: (token) => Buffer.from(textOf(token)),
      reply,
    });
    texts.forEach((_, token) => {
      lazy.accept(token, false);
      reply.accept({ token });
    });
    return [...made.values()].map(({ gbnf, tokens }) => ({ gbnf, texts: tokens.map(textOf) }));
  }

  it("sees one that begins in the token in which reasoning ends", () => {
    expect(readBy("qwen3", ["<think>", "<tool_call>", "Hm", "</think><tool_", "call>", "{"])).toEqual([
      {
        gbnf: 'root ::= "</think>" triggered\ntriggered ::= any\n',
        texts: ["</think><tool_", "call>", "{"],
      },
    ]);
    const unended = ["<|channel|>", "analysis", "<|message|>", "Hm"];
    const call = ["<|channel|>", "commentary", " to=functions", ".get"];
    expect(readBy("gptOss", [...unended, ...call])).toMatchObject([{ texts: call }]);
  });

  it("sees one that counts only at the beginning of what follows reasoning", () => {
    const plan = { triggers: ['{"name'], onlyAtStart: true };
    const thoughts = ["<think>", '{"name', "</think>\n"];
    expect(readBy("qwen3", [...thoughts, "\n", '{"name', '"'], plan)).toMatchObject([
      { texts: ['{"name', '"'] },
    ]);
    expect(readBy("qwen3", [...thoughts, "So: ", '{"name', '"'], plan)).toEqual([]);
  });
});
