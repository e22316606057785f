import { expect, it } from "vitest";
import { polled } from "./polling.js";

const nextRound = () => new Promise((resolve) => setImmediate(resolve));

it("keeps the event loop awake until the work is done, and no longer", async () => {
  let finish: (result: string) => void = () => undefined;
  const waiting = polled(new Promise<string>((resolve) => (finish = resolve)));
  const polls = () => process.getActiveResourcesInfo().filter((name) => name === "Immediate").length;
  await nextRound();
  expect(polls()).toBeGreaterThan(0);
  finish("done");
  expect(await waiting).toBe("done");
  await nextRound();
  await nextRound();
  expect(polls()).toBe(0);
});

it("passes an error on", async () => {
  await expect(polled(Promise.reject(new Error("failed")))).rejects.toThrow("failed");
});
