import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import type { ChatMessage } from "../../../src/core/chat/request.js";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import { generationOf, type Reply, replyTo, startReply } from "./engine-contract.js";
import { eachOf } from "../../support/engines/each-of.js";
import { testDefaults } from "../../support/engines/model-defaults.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { eventually } from "../../support/eventually.js";
import { uniformNumbers } from "../../support/inputs/uniform-numbers.js";

const { engine: defaults } = loadConfig({ env: {} });
const omega = { ...testDefaults, repeatPenalty: 1 };
const start = (prefixReuse: "on" | "off") =>
  startTinyEngine(
    {},
    { config: { ...defaults, sequences: 4, contextTokens: 1024, prefixReuse }, models: { omega } },
  );

describe("prefix reuse", () => {
  let reusing: TinyEngine;
  let clean: TinyEngine;
  beforeAll(async () => {
    [reusing, clean] = [start("on"), start("off")];
    await Promise.all([reusing.engine.ready(), clean.engine.ready()]);
  });
  afterAll(() => Promise.all([reusing.dispose(), clean.dispose()]));

  const cachedOf = async (tiny: TinyEngine, content: string, accountId: string) =>
    (await replyTo(tiny.engine, generationOf(content, { accountId }))).usage;

  it("serves the account that asked before", async () => {
    const first = await cachedOf(reusing, "Tell me of the long way home.", "acc_a");
    const again = await cachedOf(reusing, "Tell me of the long way home.", "acc_a");
    expect(first.cachedTokens).toBe(0);
    expect(again.cachedTokens).toBe(again.promptTokens - 1);
  });

  it("serves the next turn of a conversation", async () => {
    const messages: ChatMessage[] = [{ role: "user", content: "What is beyond the hills?" }];
    const asked = { accountId: "acc_turns", messages };
    const first = await replyTo(reusing.engine, generationOf("", asked));
    const next: ChatMessage[] = [
      ...messages,
      { role: "assistant", content: first.text },
      { role: "user", content: "And then?" },
    ];
    const second = await replyTo(reusing.engine, generationOf("", { ...asked, messages: next }));
    // Of the reply nothing is found again: this tokenizer spells the words that the model says whole.
    expect(second.usage.cachedTokens).toBe(first.usage.promptTokens);
  });

  it("serves no other account", async () => {
    await cachedOf(reusing, "This is a secret of mine.", "acc_owner");
    for (const stranger of ["acc_x", "acc_y", "acc_z", ""]) {
      expect((await cachedOf(reusing, "This is a secret of mine.", stranger)).cachedTokens).toBe(0);
    }
  });

  it("ends when the account is deleted", async () => {
    await cachedOf(reusing, "Forget me, please.", "acc_gone");
    await cachedOf(reusing, "Keep me, please.", "acc_stays");
    const kept = async (accountId: string) => (await reusing.engine.keptOf(accountId)).conversations;
    expect((await kept("acc_gone")).count).toBe(1);
    expect((await kept("acc_gone")).lastMs).toBeGreaterThan(0);
    reusing.engine.forgetAccount("acc_gone");
    await eventually(async () => (await kept("acc_gone")).count === 0);
    expect((await kept("acc_stays")).count).toBe(1);
    expect((await cachedOf(reusing, "Forget me, please.", "acc_gone")).cachedTokens).toBe(0);
    expect((await cachedOf(reusing, "Keep me, please.", "acc_stays")).cachedTokens).toBeGreaterThan(0);
  });

  it("ends for a reply that is under way when its account is deleted", async () => {
    const hangUp = new AbortController();
    const accountId = "acc_gone_midway";
    const long = generationOf("Forget this, too.", { accountId, maxTokens: 500 });
    const running = await startReply(reusing.engine, long, hangUp.signal);
    reusing.engine.forgetAccount(accountId);
    hangUp.abort();
    await expect(running.events.next()).rejects.toThrow();
    await eventually(() => reusing.engine.status("omega").active === 0);
    expect((await cachedOf(reusing, "Forget this, too.", accountId)).cachedTokens).toBe(0);
  });

  it("ends with eviction", async () => {
    await cachedOf(reusing, "Remember me.", "acc_evicted");
    for (let index = 0; index < 4; index++)
      await cachedOf(reusing, `Number ${index}`, `acc_evictor_${index}`);
    expect((await cachedOf(reusing, "Remember me.", "acc_evicted")).cachedTokens).toBe(0);
  });

  it("outlives eviction where reading again would take long", async () => {
    const accountId = "acc_returns";
    const asked = { accountId, maxTokens: 12 };
    const messages: ChatMessage[] = [{ role: "user", content: "Tell me of the long way home. ".repeat(12) }];
    const first = await replyTo(reusing.engine, generationOf("", { ...asked, messages }));
    for (let index = 0; index < 4; index++)
      await cachedOf(reusing, `${index} is another number. `.repeat(20), `acc_evictor_${index}`);
    expect((await reusing.engine.keptOf(accountId)).conversations.count).toBe(1);
    const next: ChatMessage[] = [
      ...messages,
      { role: "assistant", content: first.text },
      { role: "user", content: "And then?" },
    ];
    const stranger = await replyTo(
      reusing.engine,
      generationOf("", { accountId: "acc_stranger", messages: next }),
    );
    expect(stranger.usage.cachedTokens).toBe(0);
    const again = generationOf("", { ...asked, messages: next, topLogprobs: 2 });
    const restored = await replyTo(reusing.engine, again);
    expect(restored.usage.cachedTokens).toBe(first.usage.promptTokens);
    expectSame(restored, await cleanReply(again));
    // Evicted again, and forgotten.
    for (let index = 0; index < 4; index++)
      await cachedOf(reusing, `Number ${index}`, `acc_evictor_${index}`);
    expect((await reusing.engine.keptOf(accountId)).conversations.count).toBe(1);
    reusing.engine.forgetAccount(accountId);
    await eventually(async () => (await reusing.engine.keptOf(accountId)).conversations.count === 0);
    expect((await replyTo(reusing.engine, again)).usage.cachedTokens).toBe(0);
  });

  it("can be switched off", async () => {
    await cachedOf(clean, "Tell me.", "acc_a");
    expect((await cachedOf(clean, "Tell me.", "acc_a")).cachedTokens).toBe(0);
  });

  it("begins with what a reply under way has in common, of the same account", async () => {
    const instructions = "You are a sailor who answers in rhymes. ";
    const running = new AbortController();
    const long = generationOf(`${instructions}Tell me of the sea.`, {
      accountId: "acc_shared",
      maxTokens: 900,
    });
    const { events } = await startReply(reusing.engine, long, running.signal);
    const ask = `${instructions}Now of the hills.`;
    const [own, others] = await Promise.all([
      cachedOf(reusing, ask, "acc_shared"),
      cachedOf(reusing, ask, "acc_sharing_not"),
    ]);
    expect(own.cachedTokens).toBeGreaterThan(10);
    expect(others.cachedTokens).toBe(0);
    running.abort();
    await events.return();
  });

  it("is shared by the choices of one request", async () => {
    const generation = generationOf("Tell me of many ways.", { accountId: "acc_many" });
    await replyTo(reusing.engine, generation);
    const prepared = await reusing.engine.prepare(
      { ...generation, choices: 3 },
      new AbortController().signal,
    );
    for await (const event of eachOf(reusing.engine.generate(prepared, new AbortController().signal))) {
      if (event.type === "done") expect(event.usage.cachedTokens).toBe(prepared.promptTokens - 1);
    }
  });

  it("leaves no trace in any reply, over 1,000 random interleavings", async () => {
    const random = uniformNumbers(3);
    const seen = new Set<string>();
    let cached = 0;
    let compared = 0;
    for (let done = 0; done < 1000; done += 4) {
      const batch = Array.from({ length: 4 }, () => randomGeneration(random));
      await Promise.all(
        batch.map(async (generation) => {
          const { accountId } = generation;
          const isFirst =
            !seen.has(accountId) && batch.filter((one) => one.accountId === accountId).length === 1;
          if (random() < 0.15) {
            await hangUp(reusing, generation);
            return;
          }
          const reply = await replyTo(reusing.engine, generation);
          if (isFirst) expect(reply.usage.cachedTokens).toBe(0);
          cached += reply.usage.cachedTokens;
          expectSame(reply, await cleanReply(generation));
          compared += 1;
        }),
      );
      for (const { accountId } of batch) seen.add(accountId);
    }
    expect(compared).toBeGreaterThan(700);
    // It was worth comparing: much of it did come from the cache.
    expect(cached / compared).toBeGreaterThan(10);
  }, 240_000);

  /** On the engine that keeps nothing. The same conversation of any account gives the same reply there. */
  const known = new Map<string, Promise<Reply>>();
  const cleanReply = (generation: Generation): Promise<Reply> => {
    const key = JSON.stringify(generation.messages);
    const reply = known.get(key) ?? replyTo(clean.engine, generation);
    known.set(key, reply);
    return reply;
  };
});

/**
 * The same tokens with the same probabilities, as far as rounding lets them be: one token of another's
 * conversation in the attention moves them by far more. After a tie that rounding decided, nothing is the same.
 */
function expectSame(reply: Reply, expected: Reply): void {
  for (const [index, token] of expected.logprobs.entries()) {
    const other = reply.logprobs[index];
    const [first, second] = token.top;
    expect(Math.abs((other?.top[0]?.logprob ?? 0) - (first?.logprob ?? 0))).toBeLessThan(0.02);
    if ((first?.logprob ?? 0) - (second?.logprob ?? 0) < 0.02) return;
    expect(other?.token).toBe(token.token);
  }
}

async function hangUp(tiny: TinyEngine, generation: Generation): Promise<void> {
  const controller = new AbortController();
  const { events } = await startReply(tiny.engine, generation, controller.signal);
  controller.abort(new Error("hung up"));
  await expect(events.next()).rejects.toThrow("hung up");
}

const words = ["sea", "hill", "home", "long", "way", "old", "tea"];

/** One of a few conversations, so that accounts have the same beginnings and go different ways. */
function randomGeneration(random: () => number): Generation {
  const below = (limit: number) => Math.floor(random() * limit);
  const turns = 1 + 2 * below(3);
  const messages = Array.from({ length: turns }, (_, turn): ChatMessage => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `${words[below(turn === 0 ? 2 : words.length)] ?? ""} and ${words[turn] ?? ""} `.repeat(4),
  }));
  return generationOf("", { accountId: `acc_${below(5)}`, messages, maxTokens: 4, topLogprobs: 2 });
}
