/** Whole replicas as processes of their own, on one Postgres and one Redis, with the real engine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postChat } from "../../support/clients/post-chat.js";
import { question } from "../../support/clients/chat.js";
import { eventually } from "../../support/eventually.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import type { SottoProcess } from "../../support/processes/sotto-process.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";

describe.skipIf(noRedis)("a replica that is killed", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  const replicas: SottoProcess[] = [];

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([TestPostgres.start(), TestRedis.start()]);
    const env = {
      SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      SOTTO_REDIS_URL: redis.url,
      SOTTO_LIMIT_CONCURRENT_REQUESTS: "1",
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "1000000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "1000000000",
    };
    replicas.push(...(await Promise.all([startTinySotto(env), startTinySotto(env)])));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.kill();
    await postgres.dispose();
  });

  it("has its leases freed within half a minute", async () => {
    const [killed, left] = replicas;
    if (killed === undefined || left === undefined) throw new Error("there are no replicas");
    const key = await killed.newKey();
    const ask = (replica: SottoProcess, stream: boolean) =>
      postChat(replica.url, key, { ...question, stream, max_tokens: stream ? 100_000 : 1 });
    const running = await ask(killed, true);
    // It stands still in the middle of the reply, so that it can release nothing.
    killed.kill("SIGSTOP");
    expect(running.status).toBe(200);
    expect((await ask(left, false)).status).toBe(429);
    killed.kill("SIGKILL");
    expect((await ask(left, false)).status).toBe(429);
    await eventually(async () => (await ask(left, false)).status === 200);
  });
});
