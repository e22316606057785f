import { describe, expect, it } from "vitest";
import { DashboardError } from "../dashboard-error.js";
import { hashesAtOnce, withBoundedQueue } from "./password-queue.js";

describe("the queue for passwords", () => {
  it("leaves half of the cores, and half of the threads for such work, to everything else", () => {
    expect([1, 2, 3, 4, 8, 64].map(hashesAtOnce)).toEqual([1, 1, 1, 2, 2, 2]);
  });

  it("hashes only a few at once, in order, and refuses when the queue is full", async () => {
    const running: { password: string; finish: () => void }[] = [];
    const slow = {
      hash: (password: string) =>
        new Promise<string>((resolve) => running.push({ password, finish: () => resolve("hash") })),
      verify: async () => Promise.reject(new Error("broken")),
    };
    const queue = withBoundedQueue(slow, { permits: 2, maxWaiting: 1, maxWaitMs: 60_000 });
    const hashes = ["a", "b", "c"].map((password) => queue.hash(password));
    const refused: unknown = await queue.hash("d").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DashboardError);
    expect(refused).toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
    expect(running.map(({ password }) => password)).toEqual(["a", "b"]);

    running[0]?.finish();
    await hashes[0];
    await expect.poll(() => running.map(({ password }) => password)).toEqual(["a", "b", "c"]);
    for (const { finish } of running) finish();
    expect(await Promise.all(hashes)).toEqual(["hash", "hash", "hash"]);
    // One that fails releases its place, too.
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect(queue.verify("hash", "e")).rejects.toThrow("broken");
    }
  });

  it("gives up a wait that is too long", async () => {
    const stuck = { hash: () => new Promise<string>(() => {}), verify: async () => true };
    const queue = withBoundedQueue(stuck, { permits: 1, maxWaiting: 5, maxWaitMs: 1 });
    void queue.hash("a");
    await expect(queue.hash("b")).rejects.toMatchObject({ code: "unavailable" });
  });
});
