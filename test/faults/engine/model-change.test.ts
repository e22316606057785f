/** What answers for a model is changed by command on a running server, with the real engine on tiny weights. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf } from "../../support/processes/children.js";
import { eventually } from "../../support/eventually.js";
import { ggufBytes, llamaFields, randomTensor } from "../../support/engines/gguf-file.js";
import {
  newDataDir,
  runSotto,
  startSotto,
  type SottoProcess,
} from "../../support/processes/sotto-process.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";

let sotto: SottoProcess;
let client: OpenAI;
let folder: string;

const use = (model: string, ...source: string[]) => sotto.run("models", "use", model, ...source);
const reply = async (model: string, maxTokens = 12) => {
  const completion = await client.chat.completions.create({
    model,
    temperature: 0,
    max_completion_tokens: maxTokens,
    messages: [{ role: "user", content: "hello" }],
  });
  return completion.choices[0]?.message.content ?? "";
};

beforeAll(async () => {
  folder = newDataDir();
  for (const [name, seed] of [
    ["first", 1],
    ["second", 2],
  ] as const) {
    writeTinyGguf(join(folder, `${name}.gguf`), { seed });
  }
  symlinkSync(join(folder, "first.gguf"), join(folder, "link.gguf"));
  const dataDir = newDataDir();
  const env = { PATH: process.env.PATH, SOTTO_DATA_DIR: dataDir };
  for (const model of ["omega", "prism"]) {
    await runSotto(["models", "use", model, join(folder, "first.gguf")], env);
  }
  await runSotto(["models", "use", "lambda", join(folder, "link.gguf")], env);
  sotto = await startSotto({ dataDir });
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey: await sotto.newKey() });
});
afterAll(() => sotto.stop());

describe("a model on a running server", () => {
  it("shares the file behind it, however it is written", () => {
    expect(childrenOf(sotto.pid)).toHaveLength(1);
  });

  it("is changed over by command, and a stream that runs is not dropped", async () => {
    const [before, other] = [await reply("prism"), await reply("omega")];
    const stream = await client.chat.completions.create({
      model: "prism",
      temperature: 0,
      max_completion_tokens: 900,
      stream: true,
      messages: [{ role: "user", content: "hello" }],
    });
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    await use("prism", join(folder, "second.gguf"));
    await eventually(async () => (await reply("prism")) !== before);
    expect(await reply("omega")).toBe(other);
    let finish: string | null | undefined;
    for (let event = await events.next(); event.done !== true; event = await events.next()) {
      finish = event.value.choices[0]?.finish_reason ?? finish;
    }
    expect(finish).toBe("length");
    expect(childrenOf(sotto.pid)).toHaveLength(2);
  });

  it("lets an engine go that no model uses any more", async () => {
    await use("prism", join(folder, "first.gguf"));
    await eventually(() => childrenOf(sotto.pid).length === 1);
  });

  it("keeps the old model if the engine fails to load the new file, and says why", async () => {
    // Its header is in order, but most of the model is missing.
    const hollow = join(folder, "hollow.gguf");
    writeFileSync(hollow, ggufBytes(llamaFields, [randomTensor("t", [256, 2], 16)]));
    const before = await reply("lambda");
    await use("lambda", hollow);
    await eventually(() => sotto.output().includes("lambda was not switched over"));
    expect(await reply("lambda")).toBe(before);
    await use("lambda", join(folder, "second.gguf"));
    await eventually(async () => (await reply("lambda")) !== before);
  });

  it("is answered by a server elsewhere, and by one's own weights again", async () => {
    const elsewhere = await startTinySotto({}, { seed: 7 });
    try {
      const key = await elsewhere.newKey();
      const own = await reply("omega");
      await use("omega", elsewhere.baseURL, "--key", key, "--accept-shared-cache");
      const there = new OpenAI({ baseURL: elsewhere.baseURL, apiKey: key });
      const expected = await there.chat.completions.create({
        model: "omega",
        temperature: 0,
        max_completion_tokens: 12,
        messages: [{ role: "user", content: "hello" }],
      });
      await eventually(async () => {
        const answer = await reply("omega").catch(() => own);
        return answer === expected.choices[0]?.message.content;
      });
      await use("omega", join(folder, "first.gguf"));
      await eventually(async () => (await reply("omega")) === own);
    } finally {
      await elsewhere.stop();
    }
  });
});

describe("a pool of this machine's weights and a server elsewhere", () => {
  it("answers from both, shows them, and keeps its own engine when the list changes by SIGHUP", async () => {
    const elsewhere = await startTinySotto({}, { seed: 7 });
    const dataDir = newDataDir();
    const file = join(dataDir, "sotto.yaml");
    const own = { weights: join(folder, "first.gguf") };
    const there = {
      url: elsewhere.baseURL,
      profile: "openai",
      key: await elsewhere.newKey(),
      acceptSharedCache: true,
    };
    const write = (members: object[]) =>
      writeFileSync(
        file,
        JSON.stringify({
          models_omega_upstreams: members,
          models_prism_weights: own.weights,
          models_lambda_weights: own.weights,
        }),
      );
    write([own, there]);
    const pooled = await startSotto({ dataDir, program: ["dist/main.js", "serve", "--config", file] });
    try {
      const key = await pooled.newKey();
      const openai = new OpenAI({ baseURL: pooled.baseURL, apiKey: key });
      const ask = (content: string) =>
        openai.chat.completions.create({
          model: "omega",
          max_completion_tokens: 4,
          messages: [{ role: "user", content }],
        });
      const served = () => elsewhere.metric("sotto_tokens_total", 'omega",kind="completion');
      await eventually(async () => {
        await Promise.all(Array.from({ length: 6 }, (_, index) => ask(`hello ${index}`)));
        return (await served().catch(() => 0)) > 0;
      });
      const children = childrenOf(pooled.pid);
      write([own]);
      pooled.kill("SIGHUP");
      await eventually(() => pooled.output().includes('"models changed"'));
      const before = await served();
      await Promise.all(Array.from({ length: 6 }, (_, index) => ask(`good day ${index}`)));
      expect(await served()).toBe(before);
      expect(childrenOf(pooled.pid)).toEqual(children);
    } finally {
      await pooled.stop();
      await elsewhere.stop();
    }
  });
});
