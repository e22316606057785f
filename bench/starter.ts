/**
 * The original starter weights (IQ2_XXS) compared with the same weights merged with their correction (Q4_0): how long
 * the merge takes; tokens per second, alternating, so that other load on the machine cancels out; and perplexity on a
 * text of our own. Both are read through the binding, so the engine's own arithmetic judges the merge.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { getLlama, type Llama, type LlamaContextSequence, type LlamaModel, type Token } from "node-llama-cpp";
import { ensureStarterWeights } from "../src/models/starter/starter.js";
import { starterCorrection } from "../src/models/starter/merged-weights.js";
import { mergeWeights } from "../src/models/starter/merge.js";
import { median } from "./statistics.js";

const rounds = 5;
const tokensPerRound = 32;
const text = `The ferry left the harbour a little after seven, when the fog still lay on the water and the gulls were
louder than the engine. Anna stood at the rail with a paper cup of coffee and watched the lights of the town go
out, one street after another. She had told nobody where she was going. The island had no hotel, only a
guesthouse that an old couple kept open from spring to autumn, and a shop that sold bread, rope and newspapers
that were a day old. Her grandmother had been born there, in a house with a green door, and had spoken of it all
her life as other people speak of a friend. In the letter that came with the key, the lawyer had written that the
roof was sound but that the garden had gone back to the sheep. It takes about two hours to cross in good weather.
Water boils at one hundred degrees Celsius at the level of the sea, and at a lower temperature on a mountain,
because the pressure of the air is lower there. A bicycle stays upright more easily when it moves, since small
turns of the front wheel bring the point of support back under the centre of mass. When the boat turned into the
bay the fog lifted, and she saw the pier, two boys with fishing rods, and behind them the hill with its one white
road. She thought of what she would say if anyone asked. Then she picked up her bag and waited with the others,
who knew each other, for the rope to be thrown.`;

export async function benchStarter(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-starter-"));
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, logger: () => undefined });
  try {
    const joined = await ensureStarterWeights(folder, { corrects: false });
    const startedMs = performance.now();
    const { bytes } = await mergeWeights({
      base: joined,
      correction: starterCorrection.path,
      target: join(folder, "merged.gguf"),
      onProgress: () => {},
    });
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const memory = (process.resourceUsage().maxRSS / 1024).toFixed(0);
    console.log(
      `the merge took ${seconds} s, ${memory} MiB of memory, and wrote ${(bytes / 1e6).toFixed(0)} MB\n`,
    );
    const before = await load(llama, joined);
    const after = await load(llama, join(folder, "merged.gguf"));
    await compareSpeed(before, after);
    await comparePerplexity(before, after);
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Loaded {
  model: LlamaModel;
  sequence: LlamaContextSequence;
}

async function load(llama: Llama, modelPath: string): Promise<Loaded> {
  const model = await llama.loadModel({ modelPath });
  // The binding would take at least four: on fewer processors they wait for one another, at half a token per second.
  const threads = availableParallelism();
  const context = await model.createContext({ contextSize: 1024, batchSize: 512, threads });
  return { model, sequence: context.getSequence() };
}

async function compareSpeed(before: Loaded, after: Loaded): Promise<void> {
  const rates: [number, number][] = [];
  // The first round is warm-up.
  for (let round = 0; round <= rounds; round++) rates.push([await rate(before), await rate(after)]);
  rates.shift();
  const [a, b] = [median(rates.map(([rate]) => rate)), median(rates.map(([, rate]) => rate))];
  console.log(
    `tokens per second   before ${a.toFixed(1)}   after ${b.toFixed(1)}   ratio ${(b / a).toFixed(2)}`,
  );
  const all = rates.map((pair) => pair.map((rate) => rate.toFixed(1)).join(" / ")).join(", ");
  console.log(`  medians of ${rounds} rounds of ${tokensPerRound} tokens: ${all}`);
}

async function rate({ model, sequence }: Loaded): Promise<number> {
  const timesMs: number[] = [];
  for await (const _ of sequence.evaluate(prompt(model, "Write a long story about the sea."), {
    temperature: 0,
  })) {
    timesMs.push(performance.now());
    if (timesMs.length > tokensPerRound) break;
  }
  await sequence.clearHistory();
  return ((timesMs.length - 1) / ((timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0))) * 1000;
}

async function comparePerplexity(before: Loaded, after: Loaded): Promise<void> {
  const [a, b] = [await perplexity(before), await perplexity(after)];
  console.log(
    `perplexity        before ${a.value.toFixed(3)}   after ${b.value.toFixed(3)}   change ${((b.value / a.value - 1) * 100).toFixed(2)}% (${a.tokens} tokens)`,
  );
}

async function perplexity({ model, sequence }: Loaded): Promise<{ value: number; tokens: number }> {
  const tokens = [model.tokens.bos ?? model.tokenize("")[0], ...model.tokenize(text)].filter(
    (token) => token !== undefined,
  );
  const untouched = { temperature: 1, topP: 1, topK: 0, minP: 0 };
  let sum = 0;
  let counted = 0;
  const asked = tokens.map(
    (token): [Token, { generateNext: { probabilities: true; options: typeof untouched } }] => [
      token,
      { generateNext: { probabilities: true, options: untouched } },
    ],
  );
  await sequence.controlledEvaluate(asked, {
    onTokenResult: (index, { next }) => {
      const expected = tokens[index + 1];
      const likelihood = expected === undefined ? undefined : next.probabilities?.get(expected);
      if (likelihood === undefined) return;
      sum -= Math.log(likelihood);
      counted += 1;
    },
  });
  await sequence.clearHistory();
  return { value: Math.exp(sum / counted), tokens: counted };
}

const prompt = (model: LlamaModel, question: string): Token[] =>
  model.tokenize(
    `<s><|system|>\nYou are a helpful assistant.</s>\n<|user|>\n${question}</s>\n<|assistant|>\n`,
    true,
  );
