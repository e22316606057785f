/** Each way in which an engine on the network can fail, and what it means to whoever waits for the reply. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import { generationOf, never, replyTo, startReply } from "../../contract/engines/engine-contract.js";
import { eventually } from "../../support/eventually.js";
import {
  answers,
  chunk,
  event,
  openStream,
  sends,
  speaks,
  startScriptedUpstream,
  usageChunk,
  vllmAnswers,
  type Asked,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";

const unavailable = { code: "engine_unavailable" };
const hello = generationOf("Hello");

describe("an engine on the network", () => {
  let upstream: ScriptedUpstream;
  let engine: UpstreamEngine;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    engine = await connectUpstream({
      url: upstream.url,
      maxConcurrent: 4,
      timeouts: { firstTokenMs: 2_000, nextTokenMs: 2_000, connectMs: 10_000 },
    });
  });
  afterAll(async () => {
    await engine.close();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.hungUp = 0;
  });
  afterEach(async () => {
    await eventually(() => engine.status().active === 0 && upstream.open === 0);
  });

  const fails = (outcome: object, generation = hello) =>
    expect(replyTo(engine, generation)).rejects.toMatchObject(outcome);

  it("answers", async () => {
    upstream.chat = speaks("Hello", " there", ".");
    await expect(replyTo(engine, hello)).resolves.toMatchObject({
      fragments: ["Hello", " there", "."],
      text: "Hello there.",
      finishReason: "stop",
      usage: { promptTokens: 7, completionTokens: 3, cachedTokens: 0 },
    });
  });

  it("that hangs before the first token fails in its time, and its request is closed", async () => {
    upstream.chat = () => undefined;
    await fails(unavailable);
    await eventually(() => upstream.hungUp === 1);
  });

  it("that sends headers and comments but no token fails in its time", async () => {
    upstream.chat = (response) => {
      openStream(response);
      const ticking = setInterval(() => response.write(": keep-alive\n\n"), 20);
      response.on("close", () => {
        clearInterval(ticking);
      });
    };
    await fails(unavailable);
  });

  it("that drips bytes which never become an event fails in its time", async () => {
    upstream.chat = (response) => {
      openStream(response).write(event(chunk({ content: "Hel" })));
      const dripping = setInterval(() => response.write("x"), 20);
      response.on("close", () => {
        clearInterval(dripping);
      });
    };
    await fails(unavailable);
  });

  it("that dies before the first token fails", async () => {
    upstream.chat = (response) => response.destroy();
    await fails(unavailable);
  });

  it("that dies after the first token fails after it", async () => {
    upstream.chat = (response) => {
      openStream(response).write(event(chunk({ content: "Hel" })), () => response.destroy());
    };
    const { first, events } = await startReply(engine, hello);
    expect(first.value).toMatchObject({ type: "text", text: "Hel" });
    await expect(events.next()).rejects.toMatchObject(unavailable);
  });

  it.each([
    ["a stream that ends without a reason", sends(event(chunk({ content: "Hel" })))],
    [
      "a stream that ends with [DONE] and without a reason",
      sends(event(chunk({ content: "a" })), event("[DONE]")),
    ],
    ["an empty stream", sends("")],
    ["nothing but [DONE]", sends(event("[DONE]"))],
    ["garbage", sends("data: {not json\n\n")],
    ["JSON that is no chunk", sends(event({ hello: "world" }))],
    ["an error in band", sends(event({ error: { message: "CUDA error", type: "InternalServerError" } }))],
    [
      "vLLM's older error in band",
      sends(event({ object: "error", message: "x", code: 500 }), event("[DONE]")),
    ],
    ["an error after text", sends(event(chunk({ content: "a" })), event({ error: { message: "x" } }))],
    ["an error with an empty list of choices", sends(event({ choices: [], error: { message: "x" } }))],
    ["llama-server's error field", sends('error: {"code":500,"message":"x"}\n\n')],
    ["a line of 10 MB", sends(`data: ${"x".repeat(10 * 1024 * 1024)}\n\n`)],
    ["an end that is no end", sends(event(chunk({}, "abort")), event("[DONE]"))],
    ["a choice that was not asked for", sends(event(chunk({ content: "a" }, "stop", 3)))],
    ["JSON instead of a stream", answers(200, JSON.stringify({ choices: [] }))],
    ["a page instead of a stream", answers(200, "<html>", { "content-type": "text/html" })],
    ["a redirect", answers(307, "", { location: "http://127.0.0.1:1/v1/chat/completions" })],
    ["500", answers(500, "{}")],
    ["502", answers(502, "<html>")],
    ["401", answers(401, "{}")],
    ["404", answers(404, "{}")],
  ])("that answers with %s is unavailable, never an empty success", async (_, script) => {
    upstream.chat = script;
    await fails(unavailable);
  });

  it.each([
    ["429 with Retry-After", 429, { "retry-after": "7" }, 7],
    ["503 with Retry-After", 503, { "retry-after": "3" }, 3],
    ["503 with a Retry-After of a day", 503, { "retry-after": "86400" }, 59],
    ["429 with a Retry-After in the past", 429, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 1],
    ["429 with nonsense", 429, { "retry-after": "soon" }, 5],
    ["429 without", 429, {}, 5],
  ])("that answers %s is overloaded", async (_, status, headers, retryAfterSeconds) => {
    upstream.chat = answers(status, "{}", headers);
    await fails({ code: "overloaded", retryAfterSeconds });
  });

  it.each([
    [
      400,
      {
        object: "error",
        message: "This model's maximum context length is 1000 tokens. However, …",
        code: 400,
      },
    ],
    [400, { error: { code: 400, message: "too much", type: "exceed_context_size_error", n_ctx: 1000 } }],
    [400, { error: { message: "…", code: "context_length_exceeded" } }],
  ])("that finds the prompt too long with %i says so to the client", async (status, body) => {
    upstream.chat = answers(status, JSON.stringify(body));
    await fails({
      code: "context_length_exceeded",
      message: expect.stringMatching("^This model's maximum context length is 1000 tokens") as string,
    });
  });

  it("may report in band that the prompt is too long", async () => {
    upstream.chat = sends('error: {"message":"the request exceeds the available context size"}\n\n');
    await fails({ code: "context_length_exceeded" });
  });

  it("never has its error texts repeated", async () => {
    const canary = "canary-7d1f";
    for (const script of [
      answers(400, `{"message":"${canary}"}`),
      answers(400, `{"message":"maximum context length ${canary}"}`),
      answers(500, canary),
      sends(event({ error: { message: canary } })),
      sends(`data: ${canary}\n\n`),
    ]) {
      upstream.chat = script;
      const error: unknown = await replyTo(engine, hello).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain(canary);
      expect((error as Error).cause).toBeUndefined();
    }
  });

  it("that rejects our request is our error, not the client's", async () => {
    upstream.chat = answers(400, "{}");
    await fails({ code: "internal_error" });
  });

  it("that gives no usage has its fragments counted", async () => {
    upstream.chat = sends(
      event(chunk({ role: "assistant", content: "" })),
      event(chunk({ content: "a" })),
      event(chunk({ content: "b" }, "length")),
    );
    const { usage, finishReason } = await replyTo(engine, hello);
    expect(usage).toEqual({ promptTokens: 7, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 });
    expect(finishReason).toBe("length");
  });

  it("has [DONE] in its text treated as text", async () => {
    upstream.chat = speaks("[DONE]", "data: [DONE]\n\n");
    expect((await replyTo(engine, hello)).text).toBe("[DONE]data: [DONE]\n\n");
  });

  it.each([
    ["vLLM", { stop_reason: "STOP" }, "STOP"],
    ["SGLang", { matched_stop: "STOP" }, "STOP"],
    ["an engine that names a token", { stop_reason: 2, matched_stop: 151645 }, undefined],
    ["an engine that names something else", { stop_reason: "end_turn" }, undefined],
    ["an engine that does not tell", {}, undefined],
  ])("that cuts at a stop sequence itself tells which, as %s does", async (_name, told, expected) => {
    const last = { index: 0, delta: {}, finish_reason: "stop", ...told };
    upstream.chat = sends(
      event(chunk({ content: "One " })),
      event({ ...chunk({}), choices: [last] }),
      event(usageChunk(7, 1)),
      event("[DONE]"),
    );
    const reply = await replyTo(engine, generationOf("Hi", { stop: ["END", "STOP"] }));
    expect(reply).toMatchObject({ text: "One ", finishReason: "stop" });
    expect(reply.stopSequence).toBe(expected);
  });

  it("that lets a stop sequence through is cut, wherever it lies in the fragments, and hung up on", async () => {
    upstream.chat = (response) => {
      openStream(response);
      for (const content of ["One ", "two S", "TO", "P three"]) response.write(event(chunk({ content })));
    };
    const reply = await replyTo(engine, generationOf("Hi", { stop: ["STOP"] }));
    const { text, finishReason, stopSequence, usage } = reply;
    expect(text).toBe("One two ");
    expect(finishReason).toBe("stop");
    expect(stopSequence).toBe("STOP");
    expect(usage.completionTokens).toBe(4);
    await eventually(() => upstream.hungUp === 1);
  });

  it.each(["llama-server", "ollama", "openai"] as const)(
    "that does not report its stop sequence (%s) is stopped by us if the reply has to name it",
    async (profile) => {
      upstream.answers = {
        ...vllmAnswers(),
        "/api/version": { version: "0.20.0" },
        "/apply-template": { prompt: "Hi" },
        "/props": {},
      };
      const own = await connectUpstream({ url: upstream.url, profile, acceptSharedCache: true });
      // As such engines do: what they were told to stop at is missing, and so is that they did.
      upstream.chat = (response, { body }) => {
        const stops = (body.stop ?? []) as string[];
        speaks(...(stops.includes("STOP") ? ["One "] : ["One ", "STOP", " two"]))(response, {
          body,
        } as Asked);
      };
      const stop = ["END", "STOP"];
      const named = await replyTo(own, generationOf("Hi", { stop, namesStop: true }));
      expect(named).toMatchObject({ text: "One ", finishReason: "stop", stopSequence: "STOP" });
      const unnamed = await replyTo(own, generationOf("Hi", { stop }));
      expect(unnamed).toMatchObject({ text: "One ", finishReason: "stop", usage: { completionTokens: 1 } });
      await own.close();
    },
  );

  it("that takes four stop sequences gets the first four, and the others are cut here", async () => {
    const own = await connectUpstream({ url: upstream.url, profile: "openai", acceptSharedCache: true });
    upstream.chat = speaks("One f", " two");
    const reply = await replyTo(own, generationOf("Hi", { stop: ["a", "b", "c", "d", "e", "f"] }));
    expect(upstream.chats.at(-1)?.body.stop).toEqual(["a", "b", "c", "d"]);
    expect(reply).toMatchObject({ text: "On", stopSequence: "e" });
    await own.close();
  });

  it("gets its request closed within a second of an abort, while it talks and while it is silent", async () => {
    for (const script of [
      (response: Parameters<ScriptedUpstream["chat"]>[0]) =>
        void openStream(response).write(event(chunk({ content: "a" }))),
      () => undefined,
    ]) {
      upstream.hungUp = 0;
      upstream.chat = script;
      const controller = new AbortController();
      const prepared = await engine.prepare(hello, never());
      const events = engine.generate(prepared, controller.signal);
      const reading = expect(
        (async () => {
          for await (const _ of events);
        })(),
      ).rejects.toThrow("left");
      await eventually(() => upstream.open === 1);
      controller.abort(new Error("left"));
      await reading;
      await eventually(() => upstream.hungUp === 1);
    }
  });

  it("gets backpressure from a slow client", async () => {
    const all = 64 * 1024 * 1024;
    let written = 0;
    const text = "x".repeat(60_000);
    upstream.chat = (response) => {
      openStream(response);
      const write = () => {
        while (written < all && !response.destroyed) {
          written += text.length;
          if (!response.write(event(chunk({ content: text })))) break;
        }
      };
      response.on("drain", write);
      write();
    };
    const controller = new AbortController();
    const { events } = await startReply(engine, hello, controller.signal);
    // It goes on until the sockets between are full, and then stands still for as long as nobody reads.
    let before = 0;
    let stillSince = 0;
    await eventually(() => {
      stillSince = written === before ? stillSince + 1 : 0;
      before = written;
      return stillSince > 20 || written >= all;
    });
    expect(written).toBeLessThan(all);
    await events.next();
    controller.abort(new Error("enough"));
    await expect(events.next()).rejects.toThrow("enough");
  });

  it("serves again after all of that, on connections that it kept", async () => {
    upstream.chat = (response) => {
      openStream(response).write(event(chunk({ content: "ok" }, "stop")) + event(usageChunk(7, 1)));
      response.end(event("[DONE]"));
    };
    for (let round = 0; round < 3; round++) expect((await replyTo(engine, hello)).text).toBe("ok");
  });
});

describe("an unreachable engine on the network", () => {
  it("is unavailable at once, and serves when it recovers", async () => {
    const upstream = await startScriptedUpstream();
    const states: string[] = [];
    const timeouts = { healthIntervalMs: 50 };
    const engine = await connectUpstream(
      { url: upstream.url, timeouts },
      { onState: (to) => states.push(to) },
    );
    upstream.answers["/health"] = 500;
    await eventually(() => engine.status().state === "down");
    await expect(engine.prepare(hello, never())).rejects.toMatchObject(unavailable);
    upstream.answers["/health"] = 200;
    await eventually(() => engine.status().state === "ready");
    expect((await replyTo(engine, hello)).text).toBe("Hello there.");
    expect(engine.status().restarts).toBe(1);
    expect(states).toEqual(["ready", "down", "ready"]);
    const prepared = await engine.prepare(hello, never());
    await upstream.close();
    await expect(
      (async () => {
        for await (const _ of engine.generate(prepared, never()));
      })(),
    ).rejects.toMatchObject(unavailable);
    await engine.close();
  });
});
