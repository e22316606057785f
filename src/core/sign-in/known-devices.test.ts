import { expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { openTemporaryStore } from "../../../test/support/stores/temporary-store.js";
import { KnownDevices } from "./known-devices.js";

const email = "ada@example.com";

it("replicas on one database know the same browsers, those on another do not", async () => {
  const clock = new FakeClock();
  const [opened, foreign] = [await openTemporaryStore(clock), await openTemporaryStore(clock)];
  const one = new KnownDevices(opened.store, clock);
  const two = new KnownDevices(await opened.another(), clock);
  const other = new KnownDevices(foreign.store, clock);
  const cookie = await one.remember(null, email);
  expect(await two.recognise(cookie, " ADA@example.com ")).toBe(await one.recognise(cookie, email));
  expect(await two.recognise(cookie, email)).not.toBeNull();
  expect(await other.recognise(cookie, email)).toBeNull();
  await opened.dispose();
  await foreign.dispose();
});

it("keeps the name of a browser and its latest accounts, and asks for the secret again after a failure", async () => {
  let fails = true;
  const initSetting = async (_name: string, value: string) => {
    if (!fails) return value;
    fails = false;
    throw new Error("gone");
  };
  const devices = new KnownDevices({ initSetting }, new FakeClock());
  await expect(devices.remember(null, email)).rejects.toThrow("gone");
  let cookie = await devices.remember(null, email);
  const [name = ""] = cookie.split(".");
  for (const i of [1, 2, 3, 3, 4]) cookie = await devices.remember(cookie, `user${i}@example.com`);
  expect(cookie.startsWith(name)).toBe(true);
  expect(cookie.split(".")).toHaveLength(1 + 2 * 4);
  expect(await devices.recognise(cookie, "user1@example.com")).not.toBeNull();
  expect(await devices.recognise(cookie, email)).toBeNull();
});
