/** Encrypted bodies in the whole service: keys that outlive a restart, plans that require them, sealed secrets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { KeyWithSecret, PlanView } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { question } from "../support/clients/chat.js";
import { fetchPublicKey, postEncrypted } from "../support/clients/encrypting-client.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";

let dataDir: string;
let service: TestDashboard;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sotto-encryption-"));
});
afterEach(async () => {
  await service.close();
  rmSync(dataDir, { recursive: true });
});

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startDashboard({ env: { SOTTO_DATA_DIR: dataDir, ...env } });
}

const newKey = async (who: Browser): Promise<string> =>
  (await who.post<KeyWithSecret>("/api/keys", { name: "laptop", models: null, expiresInDays: null })).secret;

it("keeps its key over a restart, unless it is to be in memory only", async () => {
  await start();
  const first = await fetchPublicKey(service.url);
  await service.app.close();
  await start();
  expect(await fetchPublicKey(service.url)).toEqual(first);
  await service.app.close();
  await start({ SOTTO_PROOF_KEYS: "memory" });
  expect(await fetchPublicKey(service.url)).not.toEqual(first);
});

it("refuses plain requests of a plan that requires encryption, from the playground too", async () => {
  await start();
  const operator = await service.setUp();
  const key = await newKey(operator);
  const { plans } = await operator.get<{ plans: PlanView[] }>("/api/admin/plans");
  const { id, ...free } = plans[0] ?? { id: "" };
  await operator.must("PUT", `/api/admin/plans/${id}`, { ...free, requiresEncryption: true });
  const plain = await postChat(service.url, key, question);
  expect([plain.status, await plain.json()]).toMatchObject([400, { error: { code: "encryption_required" } }]);
  expect((await operator.send("POST", "/api/playground", question)).status).toBe(400);
  const answer = await postEncrypted({ url: service.url, key }, question);
  expect([answer.status, answer.wasEncrypted]).toEqual([200, true]);
});

it("serves plain requests, and says so, where it cannot open its secrets", async () => {
  await start({ SOTTO_SECRET_KEY: "the first service key, of 32 characters" });
  const publicKey = await fetchPublicKey(service.url);
  await service.app.close();
  await start({ SOTTO_SECRET_KEY: "the other service key, of 32 characters" });
  const key = await newKey(await service.setUp());
  expect((await fetch(`${service.url}/.well-known/hpke-keys`)).status).toBe(503);
  expect((await postEncrypted({ url: service.url, key }, question, publicKey)).status).toBe(422);
  expect(service.log()).toContain("secrets sealed under another service key");
  const plain = await postChat(service.url, key, question);
  expect(plain.status).toBe(200);
});
