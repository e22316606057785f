/**
 * A rolling upgrade under load: two replicas of an earlier version, behind a load balancer, are replaced by this one, one
 * after the other, while people use them with the official SDK. Nothing fails, and what the database has counted, by
 * both versions, is what the clients were told.
 */
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noKeyLimits } from "../../../src/core/entities.js";
import type { KeyWithSecret } from "../../../src/protocol/dashboard/api.js";
import { postChat } from "../../support/clients/post-chat.js";
import { startBalancer, type Balancer } from "../../support/clients/balancer.js";
import { question } from "../../support/clients/chat.js";
import { startScriptedUpstream, type ScriptedUpstream } from "../../support/engines/scripted-upstream.js";
import { eventually } from "../../support/eventually.js";
import { Browser, password } from "../../support/processes/browser-requests.js";
import { freePort } from "../../support/processes/free-port.js";
import {
  checkOutPreviousVersion,
  commits,
  noHistory,
  type PreviousVersion,
} from "../../support/processes/previous-version.js";
import { startSotto, type SottoProcess } from "../../support/processes/sotto-process.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

const clients = 4;
const quota = 25;

describe.skipIf(noRedis || noHistory).each(Object.entries(commits))("from %s", (_name, commit) => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let upstream: ScriptedUpstream;
  let previous: PreviousVersion;
  let database: string;
  let replicas: SottoProcess[];
  let balancer: Balancer;
  let start: (index: number, program?: readonly string[]) => Promise<SottoProcess>;

  beforeAll(async () => {
    [postgres, redis, upstream] = await Promise.all([
      TestPostgres.start(),
      TestRedis.start(),
      startScriptedUpstream(),
    ]);
    previous = checkOutPreviousVersion(commit);
    database = await postgres.createDatabase();
    const engines = JSON.stringify([{ url: upstream.url, profile: "vllm" }]);
    const ports = [await freePort(), await freePort()];
    const env = {
      SOTTO_DATABASE_URL: postgres.url(database),
      SOTTO_REDIS_URL: redis.url,
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
      SOTTO_MODELS_OMEGA_UPSTREAMS: engines,
      SOTTO_MODELS_PRISM_UPSTREAMS: engines,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: engines,
      SOTTO_MODELS_IOTA_WEIGHTS: "off",
    };
    start = (index, program) =>
      startSotto({
        env: { ...env, SOTTO_PORT: String(ports[index]) },
        ...(program === undefined ? {} : { program }),
      });
    replicas = [await start(0, previous.program), await start(1, previous.program)];
    balancer = await startBalancer(replicas.map(({ url }) => url));
  });
  afterAll(async () => {
    await balancer.close();
    await Promise.all(replicas.map((replica) => replica.stop()));
    previous.remove();
    await upstream.close();
    await redis.kill();
    await postgres.dispose();
  });

  const sumOf = async (table: string, columns: string): Promise<unknown> => {
    const rows = await postgres.query(
      `select ${columns} from ${table} where account_id in (select id from accounts)`,
      database,
    );
    return rows[0];
  };

  it("fails no request, and every count is right", async () => {
    const ada = new Browser(replicas[0]?.url ?? "");
    await ada.post("/api/sign-up", { email: "ada@example.com", password });
    const newKey = (limits: object = {}) =>
      ada.post<KeyWithSecret>("/api/keys", {
        ...{ name: "k", models: null, expiresInDays: null },
        limits: { ...noKeyLimits, ...limits },
      });
    const { secret: apiKey } = await newKey();
    const limited = await newKey({ requestsPerDay: quota });

    const told = { requests: 0, promptTokens: 0, completionTokens: 0 };
    const failures: unknown[] = [];
    let isOver = false;
    let isShared = false;
    const count = (usage: OpenAI.CompletionUsage | undefined) => {
      if (usage === undefined) throw new Error("a reply without usage");
      told.requests += 1;
      told.promptTokens += usage.prompt_tokens;
      told.completionTokens += usage.completion_tokens;
    };
    const keepUsing = async (index: number): Promise<void> => {
      const client = new OpenAI({ baseURL: `${balancer.url}/v1`, apiKey });
      for (let isStream = index % 2 === 0; !isOver; isStream = !isStream) {
        try {
          count(isStream ? await readStream(client) : (await client.chat.completions.create(request)).usage);
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const users = Array.from({ length: clients }, (_, index) => keepUsing(index));
    const someMore = async () => {
      const [requests, answered] = [told.requests, balancer.answered];
      await eventually(
        () =>
          told.requests > requests + 10 * clients &&
          balancer.answered.every((now, index) => now > (answered[index] ?? 0)),
      );
    };

    await someMore();
    for (const index of [0, 1]) {
      expect(await replicas[index]?.stop()).toBe(0);
      await eventually(() => !balancer.isIn(index));
      replicas[index] = await start(index);
      await eventually(() => balancer.isIn(index));
      await someMore();
      if (index === 1) break;
      // One replica of each version: a quota is shared between them.
      const statuses: number[] = [];
      for (let turn = 0; turn < 2 * quota; turn++)
        statuses.push(await ask(replicas[turn % 2]?.url ?? "", limited.secret));
      const admitted = statuses.filter((status) => status === 200).length;
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      // A replica that gets no answer from Redis within a quarter of a second counts by itself meanwhile, and says so.
      isShared = replicas.every((replica) => !replica.output().includes("redis unreachable"));
      if (isShared) expect(admitted).toBe(quota);
      told.requests += admitted;
      // As the scripted engine says.
      told.promptTokens += 7 * admitted;
      told.completionTokens += 3 * admitted;
    }
    isOver = true;
    await Promise.all(users);
    for (const replica of replicas) expect(await replica.stop()).toBe(0);

    expect(failures).toEqual([]);
    const tokens = told.promptTokens + told.completionTokens;
    const counted = `sum(requests)::int as "requests", sum(prompt_tokens)::int as "promptTokens", sum(completion_tokens)::int as "completionTokens"`;
    expect(await sumOf("usage", counted)).toEqual(told);
    expect(await sumOf("account_days", counted)).toEqual(told);
    for (const table of ["key_days", "key_spans", "quota_days"])
      expect(await sumOf(table, "sum(requests)::int as requests, sum(tokens)::int as tokens")).toEqual({
        requests: told.requests,
        tokens,
      });
    console.log(
      `${told.requests} requests, ${tokens} tokens, none failed; Redis answered in time: ${isShared}`,
    );
  });
});

const request = { model: question.model, messages: [{ role: "user" as const, content: "Go on." }] };

async function readStream(client: OpenAI): Promise<OpenAI.CompletionUsage | undefined> {
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) usage = chunk.usage ?? usage;
  return usage;
}

async function ask(url: string, secret: string): Promise<number> {
  const response = await postChat(url, secret, request);
  await response.arrayBuffer();
  return response.status;
}
