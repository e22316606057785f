/** Few file descriptors: connections are files, and so is everything that an answer needs. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { question } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import {
  chunk,
  event,
  openStream,
  speaks,
  startScriptedUpstream,
  type ScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { startSotto, type SottoProcess } from "../support/processes/sotto-process.js";

const plenty = {
  SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000",
  SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
  SOTTO_LIMIT_CONCURRENT_REQUESTS: "100000",
};

describe("a server that may open few files", () => {
  let upstream: ScriptedUpstream;
  let running: SottoProcess | undefined;
  const sockets: RawSocket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await running?.stop();
    running = undefined;
    await upstream.close();
  });

  const start = async (openFiles: number) => {
    upstream = await startScriptedUpstream();
    const members = JSON.stringify([{ url: upstream.url, profile: "vllm", maxConcurrent: 2_000 }]);
    const env = {
      ...plenty,
      SOTTO_MODELS_OMEGA_UPSTREAMS: members,
      SOTTO_MODELS_PRISM_UPSTREAMS: members,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: members,
    };
    running = await startSotto({ env, openFiles });
    return running;
  };

  it("answers as many streams as it said, and refuses all others at once", async () => {
    const sotto = await start(512);
    const port = Number(new URL(sotto.url).port);
    const room = Number(/accepts at most (\d+) connections/.exec(sotto.output())?.[1]);
    expect(room).toBeGreaterThan(128);
    expect(sotto.output()).toContain("ulimit -n");
    const key = await sotto.newKey();
    const body = JSON.stringify({ ...question, stream: true });
    const request = [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
    const held: ServerResponse[] = [];
    upstream.chat = (response) => {
      openStream(response).write(event(chunk({ role: "assistant", content: "Hello" })));
      held.push(response);
    };

    sockets.push(...(await Promise.all(Array.from({ length: 800 }, () => RawSocket.open(port)))));
    for (const socket of sockets) socket.send(request);
    const isSettled = ({ received, closed }: RawSocket) => closed || received.includes('"content":"Hello"');
    await eventually(() => sockets.every(isSettled));
    const counts = { streams: 0, overloaded: 0, unanswered: 0, other: 0 };
    for (const { received } of sockets) {
      if (received.startsWith("HTTP/1.1 200")) counts.streams += 1;
      else if (/^HTTP\/1\.1 503.*retry-after: \d.*"code":"overloaded"/is.test(received))
        counts.overloaded += 1;
      else if (received === "") counts.unanswered += 1;
      else counts.other += 1;
    }
    expect(counts).toMatchObject({ streams: room, other: 0 });
    expect(counts.overloaded).toBeGreaterThan(0);
    expect(sotto.output()).not.toContain("unexpected error");

    upstream.chat = speaks("Hello");
    for (const response of held) response.end(event(chunk({}, "stop")) + event("[DONE]"));
    await Promise.all(
      sockets.filter(({ closed }) => !closed).map((socket) => socket.untilReceived(/\[DONE\]/)),
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    const after = await RawSocket.open(port);
    sockets.push(after);
    after.send(request);
    await after.untilReceived(/\[DONE\]/);
  });

  it("does not start with too few, and says how many it needs and how to get them", async () => {
    const failure = await start(256).catch((error: unknown) => String(error));
    expect(failure).toContain("this process may open 256 files, and Sotto needs at least 512");
    expect(failure).toContain("ulimit -n 65536");
    expect(failure).not.toContain("unexpected");
  });
});
