import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { SealedElsewhere, SealedSettings, settingsInMemory } from "./sealed-settings.js";

const serviceKey = randomBytes(32);
const secret = Buffer.from("a secret of the service");

it("stores nothing readable, and opens what it sealed", async () => {
  const store = settingsInMemory();
  const sealed = new SealedSettings(store, serviceKey);
  expect(await sealed.get("a")).toBeNull();
  expect(await sealed.init("a", secret)).toEqual(secret);
  const stored = (await store.getSetting("a")) ?? "";
  expect(stored).not.toContain(secret.toString("base64url").slice(0, 8));
  expect(stored).not.toContain("secret");
  expect(await new SealedSettings(store, serviceKey).get("a")).toEqual(secret);
});

it("gives every caller the value of the first", async () => {
  const sealed = new SealedSettings(settingsInMemory(), serviceKey);
  const values = await Promise.all(Array.from({ length: 10 }, () => sealed.init("a", randomBytes(32))));
  expect(new Set(values.map((value) => value.toString("hex"))).size).toBe(1);
});

it("refuses another service key, another name and a changed byte", async () => {
  const store = settingsInMemory();
  const sealed = new SealedSettings(store, serviceKey);
  await sealed.init("a", secret);
  await expect(new SealedSettings(store, randomBytes(32)).get("a")).rejects.toThrow(SealedElsewhere);
  const stored = (await store.getSetting("a")) ?? "";
  await store.initSetting("b", stored);
  await expect(sealed.get("b")).rejects.toThrow(SealedElsewhere);
  await store.initSetting("c", stored.slice(0, 30) + (stored[30] === "A" ? "B" : "A") + stored.slice(31));
  await expect(sealed.get("c")).rejects.toThrow(SealedElsewhere);
  await store.initSetting("d", "1.AAAA");
  await expect(sealed.get("d")).rejects.toThrow(SealedElsewhere);
});

it("deletes", async () => {
  const sealed = new SealedSettings(settingsInMemory(), serviceKey);
  await sealed.init("a", secret);
  await sealed.delete("a");
  expect(await sealed.get("a")).toBeNull();
});
