import { describe, expect, it } from "vitest";
import { Slots } from "./slots.js";

const never = new AbortController().signal;

/** What has come in so far, once everything that is due has happened. */
async function arrivals(slots: Slots, count: number): Promise<{ order: number[]; release: (() => void)[] }> {
  const order: number[] = [];
  const release: (() => void)[] = [];
  for (let index = 0; index < count; index++) {
    void slots.acquire(never).then((free) => {
      order.push(index);
      release.push(free);
    });
  }
  await settle();
  return { order, release };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("slots", () => {
  it("let in as many as there are, then one for each that leaves, in order", async () => {
    const { order, release } = await arrivals(new Slots(2), 4);
    expect(order).toEqual([0, 1]);
    release[0]?.();
    release[0]?.();
    await settle();
    expect(order).toEqual([0, 1, 2]);
    release[1]?.();
    await settle();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("skip a waiter that gave up", async () => {
    const slots = new Slots(1);
    const free = await slots.acquire(never);
    const impatient = new AbortController();
    const refused = slots.acquire(impatient.signal);
    const patient = slots.acquire(never);
    impatient.abort(new Error("gone"));
    await expect(refused).rejects.toThrow("gone");
    free();
    await patient;
  });

  it("follow a capacity that changes", async () => {
    const slots = new Slots(0);
    const { order } = await arrivals(slots, 2);
    expect(order).toEqual([]);
    slots.setCapacity(2);
    await settle();
    expect(order).toEqual([0, 1]);
  });

  it("wait for several at once, and let nobody pass meanwhile", async () => {
    const slots = new Slots(3);
    const free = await slots.acquire(never);
    const order: string[] = [];
    const impatient = new AbortController();
    const three = slots.acquire(impatient.signal, 3).catch(() => order.push("gave up"));
    void slots.acquire(never).then(() => order.push("one"));
    await settle();
    expect(order).toEqual([]);
    impatient.abort();
    await three;
    await settle();
    expect(order.toSorted()).toEqual(["gave up", "one"]);
    free();
    const release = await slots.acquire(never, 2);
    release();
  });

  it("make do with fewer where there are not so many", async () => {
    await new Slots(2).acquire(never, 3);
  });
});
