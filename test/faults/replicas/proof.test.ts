/** What whole processes on one Postgres and one Redis prove about themselves, and a restore from a real backup. */
import { isDeepStrictEqual } from "node:util";
import { randomBytes } from "node:crypto";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { verifyService } from "../../../src/protocol/proof/verify.js";
import { question } from "../../support/clients/chat.js";
import { fetchPublicKey, postSealed, sealRequest } from "../../support/clients/encrypting-client.js";
import { eventually } from "../../support/eventually.js";
import { newDataDir, startSotto, type SottoProcess } from "../../support/processes/sotto-process.js";
import { servedBy, startTinySotto } from "../../support/processes/tiny-sotto.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

const started: SottoProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((sotto) => sotto.stop()));
});

describe.skipIf(noRedis)("two replicas", () => {
  it("have one key and one log, and a request that one has answered is refused by the other", async () => {
    const [postgres, redis] = await Promise.all([TestPostgres.start(), TestRedis.start()]);
    try {
      const env = {
        SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
        SOTTO_REDIS_URL: redis.url,
        SOTTO_SECRET_KEY: randomBytes(32).toString("base64"),
      };
      started.push(...(await Promise.all([startTinySotto(env), startTinySotto(env)])));
      const [first, second] = started;
      if (first === undefined || second === undefined) throw new Error("there are no replicas");

      // The weights' hashes are in a later statement than the first.
      await eventually(async () => {
        const { refused, remembered } = await verifyService(first.url);
        expect(refused).toBeNull();
        const other = await verifyService(second.url, { remembered });
        expect(other.refused).toBeNull();
        return isDeepStrictEqual(other.remembered, remembered);
      });
      const publicKey = await fetchPublicKey(first.url);
      expect(await fetchPublicKey(second.url)).toEqual(publicKey);

      const key = await first.newKey();
      const sealed = sealRequest(publicKey, [JSON.stringify({ ...question, max_tokens: 2 })]);
      const send = ({ url }: SottoProcess) => postSealed({ url, key }, sealed, Buffer.concat(sealed.frames));
      expect(await send(first)).toMatchObject({ status: 200, wasEncrypted: true });
      expect((await send(second)).status).toBe(400);
    } finally {
      await Promise.all(started.splice(0).map((sotto) => sotto.stop()));
      await redis.kill();
      await postgres.dispose();
    }
  });
});

describe("a restore of an older backup", () => {
  it("is told to the operator and to everyone, and refused by those who saw more", async () => {
    const dataDir = newDataDir();
    const weights = join(newDataDir(), "tiny.gguf");
    writeTinyGguf(weights);
    const start = async (env: Record<string, string> = {}) => {
      const sotto = await startSotto({ dataDir, env: { ...servedBy(weights), ...env } });
      started.push(sotto);
      return sotto;
    };
    const before = await start();
    expect((await verifyService(before.url)).refused).toBeNull();
    const backup = join(newDataDir(), "backup.db");
    await before.run("backup", backup);
    await before.stop();
    // Another statement: a setting that is part of it has changed.
    const changed = await start({ SOTTO_LOG_LEVEL: "warn" });
    const { refused, remembered } = await verifyService(changed.url);
    expect(refused).toBeNull();
    await changed.stop();

    for (const suffix of ["-wal", "-shm"]) await rm(join(dataDir, `sotto.db${suffix}`), { force: true });
    await copyFile(backup, join(dataDir, "sotto.db"));
    const restored = await start();
    await eventually(() => restored.output().includes("entries of the statement log are missing"));
    expect((await verifyService(restored.url, { remembered })).refused?.cause).toBe("history_rewritten");
    const newcomer = await verifyService(restored.url);
    expect(newcomer.refused).toBeNull();
    expect(newcomer.warnings.join()).toContain("restored from an older backup");
  });
});
