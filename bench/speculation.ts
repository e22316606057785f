/**
 * Tokens a second of one reply at temperature 0 with and without speculation, in turns, on the starter or on
 * `BENCH_WEIGHTS`: an edit of code, a list and a record by JSON schemas, and free prose. Both must say the same.
 * `BENCH_DRAFT` is the file of a draft model, `BENCH_TASKS` a part of the tasks' names.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadConfig } from "../src/config.js";
import type { Generation } from "../src/core/serving/engine-port.js";
import { plainDefaults } from "../src/core/serving/model-defaults.js";
import { LlamaEngine } from "../src/engines/llama/host/llama-engine.js";
import { ensureStarterWeights } from "../src/models/starter/starter.js";
import { generationOf } from "../test/contract/engines/engine-contract.js";
import { median } from "./statistics.js";

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const tokensPerReply = Number(process.env.BENCH_TOKENS ?? 160);

const code = `function total(items) {
  let sum = 0;
  for (const item of items) {
    if (item.price === undefined) throw new Error("an item has no price");
    sum += item.price * item.count;
  }
  return sum;
}`;

const listSchema = {
  type: "object",
  properties: {
    countries: {
      type: "array",
      items: {
        type: "object",
        properties: {
          country: { type: "string" },
          capital: { type: "string" },
          continent: { type: "string" },
        },
        required: ["country", "capital", "continent"],
        additionalProperties: false,
      },
    },
  },
  required: ["countries"],
  additionalProperties: false,
};

const text = { type: "string" };
const recordSchema = {
  type: "object",
  properties: {
    first_name: text,
    last_name: text,
    date_of_birth: text,
    nationality: text,
    occupation: text,
    number_of_children: { type: "integer" },
    street_address: text,
    postal_code: text,
    place_of_residence: text,
  },
  required: [
    "first_name",
    "last_name",
    "date_of_birth",
    "nationality",
    "occupation",
    "number_of_children",
    "street_address",
    "postal_code",
    "place_of_residence",
  ],
  additionalProperties: false,
};

const tasks: readonly [name: string, generation: Generation][] = [
  [
    "an edit of code",
    generationOf(`Repeat this code with "sum" renamed to "total", and nothing else.\n\n${code}\n`, {
      maxTokens: tokensPerReply,
    }),
  ],
  [
    "a list by a JSON schema",
    generationOf("List ten countries with their capitals.", {
      maxTokens: tokensPerReply,
      format: { type: "json_schema", name: "countries", schema: listSchema, strict: true },
    }),
  ],
  [
    "a record by a JSON schema",
    generationOf("Invent a person.", {
      maxTokens: tokensPerReply,
      format: { type: "json_schema", name: "person", schema: recordSchema, strict: true },
    }),
  ],
  ["free prose", generationOf("Tell me a story about a lighthouse.", { maxTokens: tokensPerReply })],
];

const warmUp = generationOf("Hello!", { maxTokens: 8 });

interface Measured {
  text: string;
  tokensPerSecond: number;
  tokensPerStep: number;
}

export async function benchSpeculation(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-speculation-"));
  const weights = process.env.BENCH_WEIGHTS ?? (await ensureStarterWeights(folder, { corrects: true }));
  const [off, on] = [start(weights, "off"), start(weights, "on")];
  try {
    await Promise.all([off.ready(), on.ready()]);
    for (const engine of [off, on]) await measure(engine, warmUp);
    const wanted = process.env.BENCH_TASKS ?? "";
    for (const [name, generation] of tasks.filter(([task]) => task.includes(wanted))) {
      const rates = { off: [] as number[], on: [] as number[] };
      const texts = new Set<string>();
      let perStep = 1;
      for (let round = 0; round < rounds; round++) {
        for (const [key, engine] of [["off", off] as const, ["on", on] as const]) {
          const { text, tokensPerSecond, tokensPerStep } = await measure(engine, generation);
          texts.add(text);
          if (key === "on") perStep = tokensPerStep;
          rates[key].push(tokensPerSecond);
        }
      }
      const [without, with_] = [median(rates.off), median(rates.on)];
      console.log(
        `${name}: ${with_.toFixed(1)} tokens/s with, ${without.toFixed(1)} without, ratio ${(with_ / without).toFixed(2)}, ${perStep.toFixed(2)} tokens a step, ${texts.size === 1 ? "the same text" : "ANOTHER TEXT"}`,
      );
    }
  } finally {
    await Promise.all([off.close(), on.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

const start = (weights: string, speculation: "on" | "off"): LlamaEngine =>
  new LlamaEngine({
    weights,
    draft: process.env.BENCH_DRAFT,
    models: { omega: plainDefaults },
    config: { ...loadConfig({ env: {} }).engine, sequences: 2, contextTokens: 2048, speculation },
    workerFile: resolve("dist/worker.js"),
  });

/** From the first token to the last. */
async function measure(engine: LlamaEngine, generation: Generation): Promise<Measured> {
  const { signal } = new AbortController();
  const prepared = await engine.prepare(generation, signal);
  let [firstMs, tokens, steps, text] = [0, 0, 0, ""];
  for await (const events of engine.generate(prepared, signal)) {
    if (firstMs === 0) firstMs = performance.now();
    steps += 1;
    for (const event of events) {
      if (event.type === "done") tokens = event.usage.completionTokens;
      if (event.type === "text") text += event.text;
    }
  }
  const tokensPerSecond = ((tokens - 1) / (performance.now() - firstMs)) * 1000;
  return { text, tokensPerSecond, tokensPerStep: tokens / steps };
}
