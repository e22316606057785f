/** One server with several processes (`SOTTO_PROCESSES`), without Redis and Postgres, in front of a scripted engine. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import {
  chunk,
  event,
  openStream,
  type Asked,
  type ScriptedUpstream,
  speaks,
  startScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { Browser, password } from "../support/processes/browser-requests.js";
import { childrenOf, isAlive } from "../support/processes/children.js";
import { type SottoProcess, startSotto } from "../support/processes/sotto-process.js";
import { ask, openStreams, readiness } from "./open-streams.js";

/** Enough to have another, wherever their number makes no difference: each takes seconds to start. */
const usual = 2;
let upstream: ScriptedUpstream;
let sotto: SottoProcess | undefined;
beforeEach(async () => {
  running.clear();
  upstream = await startScriptedUpstream();
});
afterEach(async () => {
  await sotto?.stop();
  await upstream.close();
});

/** Resolves when all processes listen. */
async function start(env: Record<string, string> = {}, count = usual): Promise<SottoProcess> {
  const members = JSON.stringify([{ url: upstream.url, profile: "vllm", maxConcurrent: 400 }]);
  const server = await startSotto({
    env: {
      SOTTO_PROCESSES: String(count),
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
      SOTTO_LIMIT_CONCURRENT_REQUESTS: "1000",
      SOTTO_QUEUE_LENGTH: "4000",
      SOTTO_MODELS_OMEGA_UPSTREAMS: members,
      SOTTO_MODELS_PRISM_UPSTREAMS: members,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: members,
      ...env,
    },
  });
  sotto = server;
  await eventually(() => listening(server) === count);
  return server;
}

/** How often one of its processes has begun to listen. */
const listening = (server: SottoProcess): number => server.output().match(/"msg":"listening"/g)?.length ?? 0;

const mostStreams = 8;
const streams = (server: SottoProcess, key: string): Promise<Response[]> =>
  openStreams(server, mostStreams, key, 100);

/** Each process also asks an engine a few things at its start. */
const isOurs = ({ body }: Asked): boolean => JSON.stringify(body.messages).includes("go on");

/** Replies to our requests that have begun. */
const running = new Set<ServerResponse>();

/** Replies begin, and do not end by themselves. */
const beginOnly: ScriptedUpstream["chat"] = (response, asked) => {
  if (!isOurs(asked)) {
    speaks("Hello")(response, asked);
    return;
  }
  openStream(response).write(event(chunk({ content: "Well" })));
  running.add(response);
  response.on("close", () => running.delete(response));
};

const endReplies = () => {
  for (const response of running) response.end(event(chunk({}, "stop")) + event("[DONE]"));
};

describe("several processes", () => {
  it("keep a limit exactly, and count together", async () => {
    const server = await start({}, 4);
    // By day, since a busy machine may take longer than a minute.
    const key = await server.newKey("--requests-per-day", "600");
    const statuses = await Promise.all(
      Array.from({ length: 700 }, async () => {
        const response = await ask(server, key, 5);
        await response.text();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    expect(upstream.chats.filter(isOurs)).toHaveLength(600);
    await eventually(
      async () => (await server.metric("sotto_time_to_first_token_seconds_count", "omega")) === 600,
    );
    expect(await server.metric("sotto_sequences_capacity", "omega")).toBe(400);
  });

  it("end the streams of a revoked key, whichever of them has it", async () => {
    upstream.chat = beginOnly;
    const server = await start();
    const user = new Browser(server.url);
    await user.post("/api/sign-up", { email: "ada@example.com", password });
    const body = { name: "to be revoked", models: null, expiresInDays: null };
    const { secret, key } = await user.post<{ secret: string; key: { id: string } }>("/api/keys", body);
    const open = await streams(server, secret);
    await user.post(`/api/keys/${key.id}/revoke`);
    for (const response of open) expect(await response.text()).toContain('"code":"invalid_api_key"');
    await eventually(() => running.size === 0);
    expect((await ask(server, secret, 5)).status).toBe(401);
  });

  it("replace one that is killed, and return its leases", async () => {
    upstream.chat = beginOnly;
    const server = await start({ SOTTO_LIMIT_CONCURRENT_REQUESTS: String(mostStreams) });
    const key = await server.newKey();
    const open = await streams(server, key);
    expect((await ask(server, key, 5)).status).toBe(429);
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, "SIGKILL");
    await eventually(() => listening(server) === usual + 1);
    const ended = open.map((response) =>
      response.text().then(
        () => "ended",
        () => "broken",
      ),
    );
    await eventually(() => running.size < open.length);
    const free = open.length - running.size;
    const again = await Promise.all(Array.from({ length: free }, () => ask(server, key, 5)));
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 200));
    expect((await ask(server, key, 5)).status).toBe(429);
    server.kill("SIGKILL");
    await server.exited();
    expect((await Promise.all(ended)).filter((end) => end === "ended")).toEqual([]);
  });

  it("refuse requests while the one that started them hangs, and serve again when it goes on", async () => {
    const server = await start({ SOTTO_LIMIT_CONCURRENT_REQUESTS: String(usual) });
    const key = await server.newKey();
    // The connection stays open: new ones are accepted by the process that hangs.
    await (await ask(server, key, 5)).text();
    server.kill("SIGSTOP");
    for (const _ of [1, 2]) {
      const refused = await ask(server, key, 5);
      expect(refused.status).toBe(503);
      expect(await refused.text()).toContain("does not answer");
    }
    server.kill("SIGCONT");
    await eventually(() => server.output().includes("owner of the processes recovered"));
    upstream.chat = beginOnly;
    const open = await openStreams(server, usual, key, 100);
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    expect((await ask(server, key, 5)).status).toBe(429);
    endReplies();
  });

  it("all end on SIGTERM, when their replies have finished", async () => {
    upstream.chat = beginOnly;
    const server = await start();
    const key = await server.newKey();
    const open = await streams(server, key);
    const processes = childrenOf(server.pid);
    server.kill("SIGTERM");
    await eventually(async () => (await readiness(server)) === 503);
    endReplies();
    const bodies = await Promise.all(open.map((response) => response.text()));
    expect(bodies.filter((body) => body.endsWith("data: [DONE]\n\n"))).toHaveLength(open.length);
    expect(await server.exited()).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
  });

  it("end when the one that started them is killed", async () => {
    const server = await start();
    const processes = childrenOf(server.pid);
    expect(processes).toHaveLength(usual);
    server.kill("SIGKILL");
    await eventually(() => !processes.some(isAlive));
  });
});

it("refuses to load weights into each of several processes", async () => {
  const server = startSotto({ env: { SOTTO_PROCESSES: "2" } });
  await expect(server).rejects.toThrow("Set SOTTO_PROCESSES to 1, or have an engine on the network");
});
