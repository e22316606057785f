/** How the log of statements grows: on several servers, over restarts, rotations and restores. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signerInForce } from "../../../src/core/proof/rotate-signer.js";
import { SealedElsewhere, SealedSettings } from "../../../src/core/proof/sealed-settings.js";
import { openSigner } from "../../../src/core/proof/signer.js";
import { keyOf } from "../../../src/core/proof/statements.js";
import { verifyService } from "../../../src/protocol/proof/verify.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";
import { firstFacts, ProofService, type Replica } from "../../support/processes/proof-service.js";

const hourMs = 3_600_000;

let service: ProofService;
beforeEach(async () => {
  service = await ProofService.open();
});
afterEach(() => service.close());

const sizes = (...replicas: Replica[]) => replicas.map(({ statements }) => statements.log.head.size);
const look = (...replicas: Replica[]) => Promise.all(replicas.map(({ statements }) => statements.look()));

/** What an old backup does: the entries from `size` on are gone. */
function restore(size: number): void {
  const database = connect(databasePath(service.temporary.dataDir));
  database.prepare("delete from statement_log where number >= ?").run([size]);
  database.close();
}

describe("two replicas", () => {
  it("have one key, one log and one statement", async () => {
    const [first, second] = await Promise.all([service.replica(), service.replica()]);
    expect(sizes(first, second)).toEqual([1, 1]);
    const documents = await Promise.all([first, second].map(({ statements }) => statements.document()));
    expect(documents[0]?.statement).toEqual(documents[1]?.statement);
    expect(keyOf(await openSigner(service.sealed))).toBe(documents[0]?.statement.entry.signing_key);
  });

  it("of two versions append one statement each, and do not take turns", async () => {
    const old = await service.replica();
    const upgraded = await service.replica({ ...firstFacts, version: "2.0.0" });
    for (let turn = 0; turn < 3; turn++) await look(old, upgraded);
    expect(sizes(old, upgraded)).toEqual([2, 2]);
    expect([old, upgraded].map(({ statements }) => statements.current?.version)).toEqual(["1.0.0", "2.0.0"]);
  });

  it("renew together, once, before the statement ends", async () => {
    const replicas = await Promise.all([service.replica(), service.replica()]);
    service.clock.advance(23 * hourMs);
    await look(...replicas);
    expect(sizes(...replicas)).toEqual([1, 1]);
    service.clock.advance(2 * hourMs);
    await look(...replicas);
    await look(...replicas);
    expect(sizes(...replicas)).toEqual([2, 2]);
  });

  it("answer about entries that the other one has just appended", async () => {
    const [first, second] = await Promise.all([service.replica(), service.replica()]);
    const before = await verifyService(second.url, { now: service.clock.now() });
    first.facts = { ...firstFacts, version: "3.0.0" };
    service.clock.advance(2_000);
    await first.statements.look();
    const log = await fetch(`${second.url}/.well-known/sotto/log?from=1`);
    expect(await log.json()).toMatchObject({ from: 1, size: 2, entries: [{ entry: { version: "3.0.0" } }] });
    const after = await verifyService(first.url, { now: service.clock.now(), remembered: before.remembered });
    expect(after.refused).toBeNull();
  });
});

describe("a rotation", () => {
  it("is signed by both keys and followed by all replicas, whatever interrupts it", async () => {
    const [first, second] = await Promise.all([service.replica(), service.replica()]);
    const { next } = await service.rotate();
    await look(first, second);
    expect([first, second].map(({ statements }) => statements.current?.signing_key)).toEqual(
      Array(2).fill(keyOf(next)),
    );
    expect(sizes(first, second)).toEqual([3, 3]);
    const { refused, remembered } = await verifyService(second.url, { now: service.clock.now() });
    expect({ refused, keys: remembered?.keys.length }).toEqual({ refused: null, keys: 2 });
  });

  it("that ended after its entry is finished by the next server", async () => {
    await service.replica();
    const { old, next } = await service.rotate();
    // As it was before the last step: the old key is the stored one, and the new one is beside it.
    const stored = await service.sealed.get("proof_signing_key");
    await service.sealed.init("proof_signing_key_next", stored ?? randomBytes(32));
    await service.sealed.replace("proof_signing_key", randomBytes(32));
    expect(keyOf(await signerInForce(service.sealed, keyOf(next)))).toBe(keyOf(next));
    expect(keyOf(await openSigner(service.sealed))).toBe(keyOf(next));
    expect(await service.sealed.get("proof_signing_key_next")).toBeNull();
    expect(keyOf(old)).not.toBe(keyOf(next));
  });
});

describe("a restore from an old backup", () => {
  const grow = async (replica: Replica, ...versions: string[]) => {
    for (const version of versions) {
      replica.facts = { ...firstFacts, version };
      await replica.statements.look();
    }
  };

  it("is told to the operator, noted in the log once, and fails for those who saw more", async () => {
    const replica = await service.replica();
    await grow(replica, "1.1.0", "1.2.0");
    const { remembered } = await verifyService(replica.url, { now: service.clock.now() });
    await replica.close();
    restore(1);
    const [restarted, other] = [await service.replica(replica.facts), await service.replica(replica.facts)];
    expect(restarted.losses).toMatchObject([{ lost: 2, previous: { size: 3 } }]);
    expect(other.losses).toEqual([]);
    expect(restarted.statements.log.lastRestored).toEqual(service.clock.now());
    const entries = await restarted.statements.log.bodies(0, 10);
    expect(entries.map((body) => (JSON.parse(body) as { entry: { type: string } }).entry.type)).toEqual([
      "statement",
      "restored",
      "statement",
    ]);
    const now = service.clock.now();
    expect((await verifyService(restarted.url, { now, remembered })).refused?.cause).toBe(
      "history_rewritten",
    );
    const newcomer = await verifyService(restarted.url, { now });
    expect(newcomer).toMatchObject({
      refused: null,
      warnings: ["The log was restored from an older backup: 2 entries were lost."],
    });
  });

  it("under a running server is found, too", async () => {
    const replica = await service.replica();
    await grow(replica, "1.1.0", "1.2.0");
    restore(2);
    await replica.statements.look();
    expect(replica.losses).toMatchObject([{ lost: 1 }]);
    expect((await replica.statements.document())?.statement.entry.version).toBe("1.2.0");
    expect(sizes(replica)).toEqual([4]);
    const { refused } = await verifyService(replica.url, { now: service.clock.now() });
    expect(refused).toBeNull();
  });

  it("that others wrote over is found by its root", async () => {
    const replica = await service.replica();
    await grow(replica, "1.1.0");
    const { head } = service;
    await replica.close();
    restore(1);
    // A server of another data directory, which remembers nothing.
    const stranger = await service.replica(
      { ...firstFacts, version: "7.0.0" },
      { read: () => null, write: () => undefined },
    );
    expect(stranger.losses).toEqual([]);
    service.head = head;
    const back = await service.replica({ ...firstFacts, version: "7.0.0" });
    expect(back.losses).toMatchObject([{ lost: null, previous: { size: 2 } }]);
  });
});

describe("sealed settings", () => {
  it("of another service key are not opened", async () => {
    await service.replica();
    const elsewhere = new SealedSettings(service.temporary.store, randomBytes(32));
    await expect(signerInForce(elsewhere, null)).rejects.toThrow(SealedElsewhere);
  });
});

describe("the routes", () => {
  it("bound what is asked for, and name what is wrong", async () => {
    const { url } = await service.replica();
    for (const path of [
      "log?from=2",
      "log?from=-1",
      "log?limit=101",
      "log?limit=0",
      "log?from=1e1",
      "proof?index=1",
      "proof",
      "proof?index=0&size=2",
      "consistency?first=2",
      "consistency?first=0&second=99999999999999999999",
    ]) {
      const response = await fetch(`${url}/.well-known/sotto/${path}`);
      expect({ path, ok: response.ok }).toEqual({ path, ok: false });
    }
    const checkpoint = await fetch(`${url}/.well-known/sotto/checkpoint`);
    expect(await checkpoint.json()).toMatchObject({ entry: { type: "checkpoint", size: 1 } });
    expect(checkpoint.headers.get("access-control-allow-origin")).toBe("*");
    const proof = await fetch(`${url}/.well-known/sotto/proof?index=0`);
    expect(await proof.json()).toMatchObject({ index: 0, size: 1, proof: [] });
  });
});
