/** An engine on the network that means harm: it can fail its own requests, and no more than that. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import { generationOf, replyTo, startReply } from "../../contract/engines/engine-contract.js";
import { eventually } from "../../support/eventually.js";
import {
  chunk,
  event,
  openStream,
  sends,
  startScriptedUpstream,
  usageChunk,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";

const short = generationOf("Hello", { maxTokens: 10 });

/** Writes as fast as it is read, until `most` characters or the end of the connection; returns how many it wrote. */
function pours(
  text: string,
  most: number,
): { chat: (response: ServerResponse) => void; written: () => number } {
  let written = 0;
  const chat = (response: ServerResponse) => {
    openStream(response).write(event(chunk({ content: "a" })));
    const write = () => {
      while (written < most && !response.destroyed) {
        written += text.length;
        if (!response.write(text)) return;
      }
      if (written >= most) response.end();
    };
    response.on("drain", write);
    write();
  };
  return { chat, written: () => written };
}

describe("a hostile engine", () => {
  let upstream: ScriptedUpstream;
  let engine: UpstreamEngine;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    engine = await connectUpstream({ url: upstream.url });
  });
  afterAll(async () => {
    await engine.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.hungUp = 0;
  });

  const most = 48 * 1024 * 1024;

  it.each([
    ["text", event(chunk({ content: "x".repeat(10_000) }))],
    ["fragments with nothing in them", event({ choices: [] }).repeat(500)],
    ["empty events", "data:\n\n".repeat(2_000)],
  ])("that never ends its %s is hung up on", async (_, text) => {
    const pouring = pours(text, most);
    upstream.chat = pouring.chat;
    await expect(replyTo(engine, short)).rejects.toMatchObject({ code: "engine_unavailable" });
    await eventually(() => upstream.hungUp === 1);
    expect(pouring.written()).toBeLessThan(most);
  });

  it("cannot fill the memory with empty events while the client reads nothing", async () => {
    const pouring = pours("data:\n\n".repeat(2_000), most);
    upstream.chat = pouring.chat;
    const controller = new AbortController();
    const { events } = await startReply(engine, short, controller.signal);
    let before = 0;
    let stillSince = 0;
    await eventually(() => {
      stillSince = pouring.written() === before ? stillSince + 1 : 0;
      before = pouring.written();
      return stillSince > 20 || before >= most;
    });
    expect(pouring.written()).toBeLessThan(most);
    controller.abort(new Error("enough"));
    await expect(events.next()).rejects.toThrow("enough");
  });

  it.each([
    ["more than there are", Number.MAX_SAFE_INTEGER, 2],
    ["a reply that does not fit its context", 7, 1_001],
    ["less than nothing", -5, 2],
    ["half a token", 7.5, 2],
  ])(
    "that reports an implausible usage of %s has it replaced by our own count",
    async (_, promptTokens, completionTokens) => {
      upstream.chat = sends(
        event(chunk({ content: "a" })),
        event(chunk({ content: "b" }, "stop")),
        event(usageChunk(promptTokens, completionTokens)),
        event("[DONE]"),
      );
      const { usage } = await replyTo(engine, short);
      expect(usage).toEqual({ promptTokens: 7, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 });
    },
  );
});
