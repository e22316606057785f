import { describe, expect, it } from "vitest";
import { Semaphore } from "./semaphore.js";

const settled = () => new Promise((resolve) => setImmediate(resolve));

const semaphore = (permits: number, limits: { maxWaiting?: number; maxWaitMs?: number } = {}) =>
  new Semaphore({
    permits,
    maxWaiting: 100,
    maxWaitMs: 60_000,
    refusal: () => new Error("busy"),
    ...limits,
  });

/** Who has entered, in order, and how each leaves. */
function enter(one: Semaphore, count: number): { order: number[]; release: (() => void)[] } {
  const order: number[] = [];
  const release: (() => void)[] = [];
  for (let index = 0; index < count; index++) {
    void one.acquire().then((leave) => {
      order.push(index);
      release.push(leave);
    });
  }
  return { order, release };
}

describe("a semaphore", () => {
  it("admits as many as it has permits, then one for each that leaves, in order", async () => {
    const { order, release } = enter(semaphore(2), 4);
    await settled();
    expect(order).toEqual([0, 1]);
    release[0]?.();
    release[0]?.();
    await settled();
    expect(order).toEqual([0, 1, 2]);
    release[1]?.();
    await settled();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("refuses when the queue is full, and admits again once there is room", async () => {
    const full = semaphore(1, { maxWaiting: 1 });
    const { release } = enter(full, 2);
    await settled();
    await expect(full.acquire()).rejects.toThrow("busy");
    release[0]?.();
    await settled();
    const third = full.acquire();
    release[1]?.();
    await third;
  });

  it("gives up a wait that is too long, and still admits those behind", async () => {
    const impatient = semaphore(1, { maxWaitMs: 1 });
    const release = await impatient.acquire();
    await expect(impatient.acquire()).rejects.toThrow("busy");
    release();
    await impatient.acquire();
  });

  it("skips a waiter whose signal aborted", async () => {
    const one = semaphore(1);
    const release = await one.acquire();
    const hangUp = new AbortController();
    const gone = one.acquire({ signal: hangUp.signal });
    const patient = one.acquire();
    hangUp.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    release();
    await patient;
  });

  it("keeps the queue's order for one that needs several permits, until it gives up", async () => {
    const three = semaphore(3);
    await three.acquire();
    const hangUp = new AbortController();
    const all = three.acquire({ signal: hangUp.signal, count: 3 });
    const { order } = enter(three, 1);
    await settled();
    expect(order).toEqual([]);
    hangUp.abort(new Error("gone"));
    await expect(all).rejects.toThrow("gone");
    await settled();
    expect(order).toEqual([0]);
  });

  it("runs alone what needs more permits than there are", async () => {
    const two = semaphore(2);
    const release = await two.acquire({ count: 3 });
    const { order } = enter(two, 1);
    await settled();
    expect(order).toEqual([]);
    release();
    await settled();
    expect(order).toEqual([0]);
  });

  it("releases the permit of work that fails", async () => {
    const one = semaphore(1, { maxWaiting: 0 });
    await expect(one.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await one.run(() => Promise.resolve("done"))).toBe("done");
  });
});
