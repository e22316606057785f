import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { KeyRing } from "../../src/core/keys/key-ring.js";
import type { Store } from "../../src/core/store.js";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { testPlan } from "../support/stores/temporary-store.js";
import { CommandLine } from "./run.js";

const email = "ada@example.com";

let sotto: CommandLine;
/** Open all the time, as a server's is. */
let store: Store;

beforeEach(async () => {
  sotto = await CommandLine.open();
  store = await openSqliteStore({ path: databasePath(sotto.dataDir), defaultPlan: testPlan });
  await store.createAccount({ email, passwordHash: null, role: "user", planId: "free" });
});
afterEach(async () => {
  await store.close();
  await sotto.dispose();
});

describe("sotto keys", () => {
  it("prints one object with the id and the key", async () => {
    const { code, stdout, stderr } = await sotto.run("keys", "create", email, "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      id: expect.stringMatching(/^key_/) as unknown,
      key: expect.stringMatching(/^sk-sotto-[0-9A-Za-z]{49}$/) as unknown,
      name: "default",
      models: null,
      operations: null,
      expires_at: null,
    });
  });

  it("limits a key to models, operations and a time", async () => {
    const before = Date.now();
    await sotto.createKey(
      email,
      "--name",
      "ci",
      "--models",
      "omega, prism",
      "--operations",
      "chat",
      "--expires",
      "30d",
    );
    const [key] = await listKeys();
    expect(key).toMatchObject({
      name: "ci",
      models: ["omega", "prism"],
      operations: ["chat"],
      state: "active",
    });
    const expiresAt = new Date(String(key?.expires_at)).getTime();
    expect(expiresAt).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 30 * 86_400_000);
  });

  it("limits a key to networks, also when it is rotated, and refuses what is none", async () => {
    const { id } = await sotto.createKey(email, "--allow-from", "192.0.2.7/24, 2001:DB8::1");
    const [key] = await listKeys();
    expect(key).toMatchObject({ allow_from: ["192.0.2.0/24", "2001:db8::1/128"] });
    expect(await sotto.json("keys", "rotate", id)).toMatchObject({ allow_from: key?.allow_from });
    const refused = await sotto.run("keys", "create", email, "--allow-from", "10.0.0.0/40");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("192.0.2.0/24")]);
  });

  it("gives scopes to the keys of an admin alone", async () => {
    const refused = await sotto.run("keys", "create", email, "--scope", "admin:read");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("admin's own account")]);
    const admin = "root@example.com";
    await store.createAccount({ email: admin, passwordHash: null, role: "admin", planId: "free" });
    const { id } = await sotto.createKey(admin, "--scope", "scim, admin:write");
    const key = { scopes: ["admin:write", "scim"] };
    expect(await sotto.json("keys", "list", admin)).toMatchObject([key]);
    expect(await sotto.json("keys", "rotate", id)).toMatchObject(key);
    const unknown = await sotto.run("keys", "create", admin, "--scope", "root");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("admin:read")]);
  });

  it("shows a key once: later only its last four characters, and nothing more on disk", async () => {
    const { stdout } = await sotto.run("keys", "create", email, "--name", "laptop");
    const text = /sk-sotto-[0-9A-Za-z]{49}/.exec(stdout)?.[0] ?? "no key";
    const listed = await sotto.run("keys", "list", email);
    expect(listed.stdout).toMatch(new RegExp(`key_\\S+ +laptop +…${text.slice(-4)} +active +all +all`));
    expect(listed.stdout).not.toContain(text.slice(9, 20));
    for (const name of await readdir(sotto.dataDir)) {
      expect((await readFile(join(sotto.dataDir, name))).includes(text.slice(9, 20))).toBe(false);
    }
  });

  it("revokes and rotates", async () => {
    const first = await sotto.createKey(email);
    expect(await sotto.json("keys", "revoke", first.id)).toMatchObject({ id: first.id, state: "revoked" });

    const second = await sotto.createKey(email, "--name", "laptop", "--models", "omega");
    const third = await sotto.json("keys", "rotate", second.id, "--grace", "90m");
    expect(third).toMatchObject({
      name: "laptop",
      models: ["omega"],
      replaced: { id: second.id, state: "ending" },
    });

    const fourth = await sotto.createKey(email);
    expect(await sotto.json("keys", "rotate", fourth.id, "--grace", "0")).toMatchObject({
      replaced: { id: fourth.id, state: "revoked" },
    });
    expect((await listKeys()).map((key) => key.state)).toEqual(
      expect.arrayContaining(["revoked", "ending", "active", "revoked", "active"]),
    );
  });

  it("says what to do when there is no such account or key", async () => {
    expect((await sotto.run("keys", "create", "bob@example.com")).stderr).toContain(
      "create the account first",
    );
    expect((await sotto.run("keys", "revoke", "key_none")).stderr).toContain("List the account's keys");
    expect((await sotto.run("keys", "list", email)).stdout).toContain(`sotto keys create ${email}`);
  });

  const listKeys = async (): Promise<Record<string, unknown>[]> =>
    z.array(z.record(z.string(), z.unknown())).parse(await sotto.json("keys", "list", email));
});

describe("beside a running server", () => {
  let ring: KeyRing;
  let monotonicMs = 0;

  beforeEach(() => {
    // The commands run on the real clock; only the age of what is in memory is passed in.
    ring = new KeyRing(store, { now: () => new Date(), monotonicMs: () => monotonicMs });
  });
  afterEach(() => ring.close());

  it("a new key works at once, and a revoked one stops within a second", async () => {
    const { id, key } = await sotto.createKey(email);
    expect((await ring.verify(key)).account.email).toBe(email);
    await sotto.json("keys", "revoke", id);
    monotonicMs += 1_000;
    await expect(ring.verify(key)).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  it("a suspended account's keys stop, and work again when it is resumed", async () => {
    const { key } = await sotto.createKey(email);
    await ring.verify(key);
    await sotto.json("accounts", "suspend", email);
    monotonicMs += 1_000;
    await expect(ring.verify(key)).rejects.toMatchObject({ code: "invalid_api_key" });
    await sotto.json("accounts", "resume", email);
    monotonicMs += 1_000;
    await ring.verify(key);
  });
});
