/** A pool of engines on the network, as an operator lists them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PoolEngine } from "../../../src/engines/pool/pool-engine.js";
import type { PoolMember } from "../../../src/engines/pool/member.js";
import { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import type { UpstreamSource } from "../../../src/protocol/engine-member.js";
import { collect, generationOf, never, replyTo } from "../../contract/engines/engine-contract.js";
import { eventually } from "../../support/eventually.js";
import { testDefaults } from "../../support/engines/model-defaults.js";
import {
  chunk,
  event,
  openStream,
  speaks,
  startScriptedUpstream,
  usageChunk,
  type ChatScript,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { cacheSaltSecret } from "../../support/engines/upstream-engine.js";

const models = { omega: testDefaults, prism: testDefaults, lambda: testDefaults };

describe("a pool of engines on the network", () => {
  let upstreams: ScriptedUpstream[];
  let pool: PoolEngine;
  const source = (index: number, changes: Partial<UpstreamSource> = {}): PoolMember => {
    const written = { url: upstreams[index]?.url ?? "", profile: "vllm" as const, ...changes };
    const make = () => {
      const timeouts = { healthIntervalMs: 100 };
      const engine = new UpstreamEngine({ ...written, timeouts, models, cacheSaltSecret });
      return { engine, waiting: () => engine.waiting(), ready: async () => undefined };
    };
    const settings = JSON.stringify({ ...written, weight: undefined });
    return { id: written.url, settings, weight: written.weight, make };
  };
  const at = (index: number): ScriptedUpstream => {
    const upstream = upstreams[index];
    if (upstream === undefined) throw new Error("no such upstream");
    return upstream;
  };
  const up = (count: number) =>
    eventually(() => pool.status("omega").serving.startsWith(`${count} of ${count}`));
  const chats = () => upstreams.map((upstream) => upstream.chats.length);

  beforeEach(async () => {
    upstreams = await Promise.all([startScriptedUpstream(), startScriptedUpstream()]);
    pool = new PoolEngine([source(0), source(1)]);
    await up(2);
  });
  afterEach(async () => {
    await pool.close();
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  });

  it("answers from the other engine when one dies before the first token", async () => {
    at(0).chat = (response) => response.destroy();
    for (let index = 0; index < 6; index++) {
      expect((await replyTo(pool, generationOf(`Hello ${index}`))).text).toBe("Hello there.");
    }
    expect(at(1).chats).toHaveLength(6);
  });

  it("fails when one dies after the first token, without a retry on another", async () => {
    const dying: ChatScript = (response) => {
      openStream(response).write(event(chunk({ content: "Hel" })), () => response.destroy());
    };
    for (const upstream of upstreams) upstream.chat = dying;
    await expect(replyTo(pool, generationOf("Hello"))).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(chats().sort()).toEqual([0, 1]);
  });

  it("continues with the other when one is gone, and says so", async () => {
    await at(0).close();
    await eventually(() => pool.status("omega").serving.startsWith("1 of 2"));
    for (let index = 0; index < 3; index++) await replyTo(pool, generationOf(`Hello ${index}`));
    expect(chats()).toEqual([0, 3]);
  });

  it("drops no stream when an engine is removed, and then closes it", async () => {
    let finish: () => void = () => undefined;
    const slow: ChatScript = (response) => {
      openStream(response).write(event(chunk({ content: "Hel" })));
      finish = () => {
        response.end(event(chunk({ content: "lo" }, "stop")) + event(usageChunk(7, 2)) + event("[DONE]"));
      };
    };
    for (const upstream of upstreams) upstream.chat = slow;
    const reply = collect(pool.generate(await pool.prepare(generationOf("Hello"), never()), never()));
    await eventually(() => upstreams.some(({ open }) => open === 1));
    const [running, other] = at(0).open === 1 ? [0, 1] : [1, 0];
    pool.setMembers([source(other)]);
    at(other).chat = speaks("fine");
    expect((await replyTo(pool, generationOf("Hello"))).text).toBe("fine");
    expect(pool.members("omega")).toMatchObject([{ draining: false }, { draining: true, runs: 1 }]);
    finish();
    expect((await reply).text).toBe("Hello");
    await eventually(() => pool.members("omega").length === 1);
    expect(at(running).hungUp).toBe(0);
  });

  it("keeps an engine if only its weight changes", async () => {
    const before = pool.engines;
    pool.setMembers([source(1, { weight: 5 }), source(0, { maxConcurrent: 3 })]);
    expect(pool.members("omega")[0]).toMatchObject({ weight: 5 });
    expect(pool.engines[0]).toBe(before[1]);
    expect(pool.engines[1]).not.toBe(before[0]);
    await up(2);
    expect(pool.status("omega").capacity).toBe(128 + 3);
  });
});
