import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { HpkeKeys, type HpkeKey } from "./hpke-keys.js";
import { SealedElsewhere, SealedSettings, settingsInMemory } from "./sealed-settings.js";
import { SingleUse } from "./single-use.js";

const hourMs = 60 * 60_000;
const periodMs = 24 * hourMs;
const serviceKey = randomBytes(32);

let clock: FakeClock;
let store: ReturnType<typeof settingsInMemory>;
let opened: HpkeKeys[];
beforeEach(() => {
  clock = new FakeClock();
  store = settingsInMemory();
  opened = [];
});
afterEach(() => Promise.all(opened.map((keys) => keys.close())));

const fail = (error: unknown): never => {
  throw error;
};

async function open(at = clock): Promise<HpkeKeys> {
  const sealed = new SealedSettings(store, serviceKey);
  const keys = await HpkeKeys.open(sealed, { clock: at, periodMs, onError: fail });
  opened.push(keys);
  return keys;
}

const hex = ({ publicKey }: Pick<HpkeKey, "publicKey">): string => publicKey.toString("hex");
const accepts = (keys: HpkeKeys, key: Pick<HpkeKey, "publicKey">): boolean =>
  keys.accepted().some((accepted) => hex(accepted) === hex(key));

describe("keys for encrypted bodies", () => {
  it("are the same on all replicas, however many open at once, and after a restart", async () => {
    const all = await Promise.all([open(), open(), open()]);
    expect(new Set(all.map((keys) => hex(keys.current()))).size).toBe(1);
    expect(hex((await open()).current())).toBe(hex(all[0].current()));
  });

  it("rotate, are accepted for one more period, and are then deleted", async () => {
    const keys = await open();
    const first = keys.current();
    clock.advance(periodMs);
    await keys.refresh();
    expect(hex(keys.current())).not.toBe(hex(first));
    expect(accepts(keys, first)).toBe(true);
    expect(keys.endOf(first).getTime()).toBe(clock.now().getTime() + periodMs);
    clock.advance(periodMs - 1);
    expect(accepts(keys, first)).toBe(true);
    clock.advance(1);
    expect(accepts(keys, first)).toBe(false);
    await keys.refresh();
    expect(await store.listSettingNames("hpke_key_")).toHaveLength(2);
  });

  it("are created before their period, so that a replica whose clock is behind knows them", async () => {
    const behind = await open();
    clock.advance(periodMs - 10 * 60_000);
    await behind.refresh();
    const ahead = new FakeClock(new Date(clock.now().getTime() + 15 * 60_000));
    const other = await open(ahead);
    expect(hex(other.current())).not.toBe(hex(behind.current()));
    expect(accepts(behind, other.current())).toBe(true);
    expect(accepts(other, behind.current())).toBe(true);
  });

  it("are all deleted but the live ones after a long pause", async () => {
    await open();
    clock.advance(100 * periodMs);
    await open();
    expect(await store.listSettingNames("hpke_key_")).toHaveLength(1);
  });

  it("are looked for on demand when a period began unnoticed", async () => {
    const keys = await open();
    const first = keys.current();
    clock.advance(periodMs);
    expect(keys.current()).toBe(first);
    await keys.ready();
    expect(keys.current()).not.toBe(first);
    expect(keys.ready()).toBeUndefined();
  });

  it("tell of a change", async () => {
    const keys = await open();
    let changes = 0;
    keys.onChange(() => (changes += 1));
    await keys.refresh();
    expect(changes).toBe(0);
    clock.advance(periodMs);
    await keys.refresh();
    expect(changes).toBe(1);
  });

  it("cannot be opened under another service key", async () => {
    await open();
    const sealed = new SealedSettings(store, randomBytes(32));
    await expect(HpkeKeys.open(sealed, { clock, periodMs, onError: fail })).rejects.toThrow(SealedElsewhere);
  });
});

describe("single use", () => {
  const singleUse = (keys: HpkeKeys, maxUses?: number, shared: SingleUse["options"]["shared"] = null) =>
    new SingleUse({ keys, now: () => clock.now(), shared, onError: fail, ...(maxUses ? { maxUses } : {}) });

  it("accepts an encapsulated key once, among many", async () => {
    const keys = await open();
    const uses = singleUse(keys);
    const all = Array.from({ length: 5_000 }, () => randomBytes(32));
    for (const one of all) expect(await uses.claim(keys.current(), one)).toBe(true);
    for (const one of all) expect(await uses.claim(keys.current(), one)).toBe(false);
  });

  it("replaces a key before its uses exceed the memory for them, on other replicas too", async () => {
    const [keys, other] = [await open(), await open()];
    const first = keys.current();
    const uses = singleUse(keys, 16);
    for (let use = 0; use < 14; use++) await uses.claim(first, randomBytes(32));
    await keys.refresh();
    expect(hex(keys.current())).not.toBe(hex(first));
    expect(accepts(keys, first)).toBe(true);
    for (let use = 0; use < 2; use++) await uses.claim(first, randomBytes(32));
    expect(accepts(keys, first)).toBe(false);
    await other.refresh();
    expect(hex(other.current())).toBe(hex(keys.current()));
  });

  it("asks the other replicas, for as long as the key is accepted", async () => {
    const keys = await open();
    const asked: [string, number][] = [];
    const uses = singleUse(keys, undefined, {
      claim: async (name, forMs) => {
        asked.push([name, forMs]);
        return false;
      },
    });
    const encapsulated = randomBytes(32);
    clock.advance(hourMs);
    expect(await uses.claim(keys.current(), encapsulated)).toBe(false);
    expect(asked).toEqual([[encapsulated.toString("hex"), 2 * periodMs - hourMs]]);
  });
});
