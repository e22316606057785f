import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { ServiceError } from "../errors.js";
import { FairQueue, type Slot } from "./fair-queue.js";
import { systemClock, type Clock } from "../clock.js";

const never = new AbortController().signal;

function queueOf(
  capacity: number | (() => number),
  overrides: { maxLength?: number; maxWaitMs?: number; preempts?: () => boolean; clock?: Clock } = {},
): FairQueue {
  return new FairQueue({
    capacity: typeof capacity === "number" ? () => capacity : capacity,
    maxLength: overrides.maxLength ?? 1000,
    maxWaitMs: overrides.maxWaitMs ?? 60_000,
    clock: overrides.clock ?? systemClock,
    preempts: overrides.preempts,
  });
}

/** Enters and notes the order in which slots are given. */
function enterAll(queue: FairQueue, requests: [account: string, cost: number, places?: number][]) {
  const order: string[] = [];
  const slots: Slot[] = [];
  for (const [accountId, cost, places = 1] of requests) {
    const entered = queue.enter({ accountId, cost, places }, never).then((slot) => {
      order.push(accountId);
      slots.push(slot);
    });
    // Some wait until after the test.
    entered.catch(() => undefined);
  }
  return { order, slots };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function drain(entered: ReturnType<typeof enterAll>, cost: number): Promise<void> {
  await settled();
  for (let slot = entered.slots.shift(); slot !== undefined; slot = entered.slots.shift()) {
    slot.leave(cost);
    await settled();
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return error instanceof ServiceError ? error.code : "no service error";
}

describe("fair queue", () => {
  it("never runs more than the capacity", async () => {
    const queue = queueOf(3);
    const entered = enterAll(
      queue,
      Array.from({ length: 10 }, () => ["a", 10]),
    );
    await settled();
    expect(queue.running).toBe(3);
    expect(queue.waiting).toBe(7);
    await drain(entered, 10);
    expect(entered.order).toHaveLength(10);
    expect(queue.running).toBe(0);
  });

  it("serves a newcomer next, however many another account has waiting", async () => {
    const queue = queueOf(1);
    const many = Array.from({ length: 100 }, (): [string, number] => ["a", 100]);
    const entered = enterAll(queue, [...many, ["b", 100]]);
    await drain(entered, 100);
    // One of a's runs already when b arrives, and a's second has the same tag as b's first.
    expect(entered.order.indexOf("b")).toBeLessThanOrEqual(2);
  });

  it("shares by tokens, not by requests", async () => {
    const queue = queueOf(1);
    const entered = enterAll(queue, [
      ...Array.from({ length: 20 }, (): [string, number] => ["large", 100]),
      ...Array.from({ length: 20 }, (): [string, number] => ["small", 10]),
    ]);
    await settled();
    for (let step = 0; step < 12; step++) {
      const slot = entered.slots.shift();
      slot?.leave(entered.order.at(-1) === "large" ? 100 : 10);
      await settled();
    }
    const large = entered.order.filter((account) => account === "large").length;
    expect(large).toBeLessThanOrEqual(3);
  });

  it("is first come, first served inside an account", async () => {
    const queue = queueOf(1);
    const order: number[] = [];
    const slots: Slot[] = [];
    for (let index = 0; index < 5; index++) {
      void queue.enter({ accountId: "a", cost: 10, places: 1 }, never).then((slot) => {
        order.push(index);
        slots.push(slot);
      });
    }
    await settled();
    for (let slot = slots.shift(); slot !== undefined; slot = slots.shift()) {
      slot.leave(10);
      await settled();
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it("refuses at once when full, and says when to retry", async () => {
    const queue = queueOf(1, { maxLength: 1 });
    enterAll(queue, [
      ["a", 1],
      ["a", 1],
    ]);
    const error: unknown = await queue
      .enter({ accountId: "a", cost: 1, places: 1 }, never)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "overloaded" });
    expect((error as ServiceError).retryAfterSeconds).toBeGreaterThanOrEqual(1);
  });

  it("gives up a wait that is too long", async () => {
    const queue = queueOf(1, { maxWaitMs: 5 });
    await queue.enter({ accountId: "a", cost: 1, places: 1 }, never);
    expect(await codeOf(queue.enter({ accountId: "b", cost: 1, places: 1 }, never))).toBe("overloaded");
    expect(queue.waiting).toBe(0);
  });

  it("lets a waiter that hangs up leave, and counts its cost no more", async () => {
    const queue = queueOf(1);
    const first = await queue.enter({ accountId: "a", cost: 1, places: 1 }, never);
    const hangUp = new AbortController();
    const waiting = queue.enter({ accountId: "b", cost: 1000, places: 1 }, hangUp.signal);
    hangUp.abort(new Error("hung up"));
    await expect(waiting).rejects.toThrow("hung up");
    expect(queue.waiting).toBe(0);
    const entered = enterAll(queue, [
      ["c", 10],
      ["b", 10],
    ]);
    first.leave(1);
    await drain(entered, 10);
    expect(entered.order).toEqual(["c", "b"]);
  });

  it("frees a slot once, however often it is left", async () => {
    const queue = queueOf(1);
    const slot = await queue.enter({ accountId: "a", cost: 1, places: 1 }, never);
    slot.leave(1);
    slot.leave(1);
    expect(queue.running).toBe(0);
  });

  it("counts a place for each choice, and lets nothing overtake one that waits for several", async () => {
    const queue = queueOf(4);
    const entered = enterAll(queue, [
      ["a", 1, 3],
      ["b", 1, 2],
      ["c", 1, 1],
    ]);
    await settled();
    expect(entered.order).toEqual(["a"]);
    entered.slots[0]?.leave(1);
    await settled();
    expect(entered.order).toEqual(["a", "b", "c"]);
    expect(queue.running).toBe(3);
  });

  it("runs one that needs more places than there are alone", async () => {
    const queue = queueOf(2);
    const entered = enterAll(queue, [
      ["a", 1, 5],
      ["b", 1, 1],
    ]);
    await settled();
    expect(entered.order).toEqual(["a"]);
    await drain(entered, 1);
    expect(entered.order).toEqual(["a", "b"]);
  });

  it("lets those behind go when one that waits for several hangs up", async () => {
    const queue = queueOf(2);
    enterAll(queue, [["a", 1, 1]]);
    const hangUp = new AbortController();
    const waiting = queue.enter({ accountId: "b", cost: 1, places: 2 }, hangUp.signal);
    const behind = enterAll(queue, [["c", 1, 1]]);
    hangUp.abort(new Error("hung up"));
    await expect(waiting).rejects.toThrow("hung up");
    await settled();
    expect(behind.order).toEqual(["c"]);
  });

  it("lets nobody wait who would be one too many, also when single places are left", async () => {
    const queue = queueOf(2, { maxLength: 0 });
    await queue.enter({ accountId: "a", cost: 1, places: 1 }, never);
    expect(await codeOf(queue.enter({ accountId: "b", cost: 1, places: 2 }, never))).toBe("overloaded");
    await queue.enter({ accountId: "c", cost: 1, places: 1 }, never);
  });

  it("notices by itself that there is room again", async () => {
    let capacity = 0;
    const queue = queueOf(() => capacity);
    const entered = enterAll(queue, [["a", 1, 3]]);
    await settled();
    expect(entered.order).toEqual([]);
    capacity = 2;
    await eventually(() => entered.order.length === 1);
  });

  it("keeps everybody's turn while there is no capacity at all", async () => {
    let capacity = 1;
    const queue = queueOf(() => capacity);
    const running = await queue.enter({ accountId: "a", cost: 10, places: 1 }, never);
    const order: string[] = [];
    const enter = async (name: string) => {
      const slot = await queue.enter({ accountId: "a", cost: 10, places: 1 }, never);
      order.push(name);
      slot.leave(10);
    };
    const second = enter("second");
    capacity = 0;
    running.leave(10);
    const third = enter("third");
    capacity = 1;
    await Promise.all([second, third]);
    expect(order).toEqual(["second", "third"]);
  });

  describe("before an engine that sets requests aside", () => {
    const preempts = () => true;
    const times = (count: number, account: string): [string, number][] =>
      Array.from({ length: count }, () => [account, 100]);

    it("lets a newcomer run at once beside an account that has every place", async () => {
      const queue = queueOf(4, { preempts });
      const { order } = enterAll(queue, [...times(9, "a"), ["b", 1]]);
      await settled();
      expect(order).toEqual(["a", "a", "a", "a", "b"]);
    });

    it("lets each account have its share of the places at once, and no more", async () => {
      const queue = queueOf(4, { preempts });
      const { order } = enterAll(queue, [...times(6, "a"), ...times(3, "b"), ...times(2, "c")]);
      await settled();
      expect(order).toEqual(["a", "a", "a", "a", "b", "b", "c"]);
    });

    it("refuses no newcomer because of another account's full queue", async () => {
      const queue = queueOf(2, { preempts, maxLength: 2 });
      const { order } = enterAll(queue, times(4, "a"));
      queue.requireRoom({ accountId: "b", places: 1 });
      await queue.enter({ accountId: "b", cost: 1, places: 1 }, never);
      expect(order).toEqual(["a", "a"]);
    });

    it("lets nobody overtake one that waits for several while no account has more than its share", async () => {
      const queue = queueOf(4, { preempts });
      const entered = enterAll(queue, [
        ["a", 1, 1],
        ["b", 1, 4],
        ["a", 1, 1],
        ["c", 1, 1],
      ]);
      await settled();
      expect(entered.order).toEqual(["a"]);
      await drain(entered, 1);
      expect(entered.order.slice(0, 2)).toEqual(["a", "b"]);
    });
  });

  describe("before an engine that cannot", () => {
    it("leaves the last place to an account that runs nothing", async () => {
      const queue = queueOf(3);
      const { order, slots } = enterAll(queue, [["b", 1]]);
      await settled();
      slots.shift()?.leave(1);
      const flood = enterAll(queue, [
        ["a", 100],
        ["a", 100],
        ["a", 100],
        ["a", 100],
      ]);
      await settled();
      expect(flood.order).toEqual(["a", "a"]);
      await queue.enter({ accountId: "b", cost: 1, places: 1 }, never);
      expect([queue.running, order]).toEqual([3, ["b"]]);
    });

    it("gives an account every place while nobody else has come for ten minutes", async () => {
      const clock = new FakeClock();
      const queue = queueOf(3, { clock });
      (await queue.enter({ accountId: "b", cost: 1, places: 1 }, never)).leave(1);
      clock.advance(10 * 60_000);
      enterAll(queue, [
        ["a", 1],
        ["a", 1],
        ["a", 1],
      ]);
      await settled();
      expect(queue.running).toBe(3);
    });
  });

  describe("with weights", () => {
    /** How many tokens each account got while all of them had more waiting. */
    const served = async (weights: readonly number[], cost: readonly number[], turns: number) => {
      const queue = queueOf(1);
      const tokens = weights.map(() => 0);
      const slots: { slot: Slot; account: number }[] = [];
      weights.forEach((weight, account) => {
        for (let request = 0; request < turns + 1; request += 1) {
          const entrant = { accountId: String(account), cost: cost[account] ?? 1, places: 1, weight };
          queue.enter(entrant, never).then(
            (slot) => slots.push({ slot, account }),
            () => undefined,
          );
        }
      });
      await settled();
      for (let turn = 0; turn < turns; turn += 1) {
        const next = slots.shift();
        if (next === undefined) throw new Error("Nobody runs.");
        tokens[next.account] = (tokens[next.account] ?? 0) + (cost[next.account] ?? 1);
        next.slot.leave(cost[next.account] ?? 1);
        await settled();
      }
      return tokens;
    };

    it("gives an account of weight 3 three times the tokens of one of weight 1", async () => {
      const [one = 0, three = 0] = await served([1, 3], [10, 10], 80);
      expect(three / one).toBeGreaterThan(2.7);
      expect(three / one).toBeLessThan(3.3);
    });

    it("shares by weight, whatever the weights and costs, within one request of each", async () => {
      const account = fc.record({
        weight: fc.integer({ min: 1, max: 100 }),
        cost: fc.integer({ min: 1, max: 40 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(account, { minLength: 2, maxLength: 4 }), async (accounts) => {
          const [weights, costs] = [accounts.map(({ weight }) => weight), accounts.map(({ cost }) => cost)];
          const tokens = await served(weights, costs, 60);
          const by = (index: number) => (tokens[index] ?? 0) / (weights[index] ?? 1);
          const one = (index: number) => (costs[index] ?? 1) / (weights[index] ?? 1);
          for (const a of accounts.keys()) {
            for (const b of accounts.keys()) {
              expect(Math.abs(by(a) - by(b))).toBeLessThanOrEqual(one(a) + one(b) + 1e-9);
            }
          }
        }),
        { numRuns: 40 },
      );
    });

    it("shares the places of an engine that sets requests aside, too", async () => {
      const queue = queueOf(8, { preempts: () => true });
      const order: string[] = [];
      const enter = (accountId: string, weight: number) => {
        queue.enter({ accountId, cost: 1, places: 1, weight }, never).then(
          () => order.push(accountId),
          () => undefined,
        );
      };
      for (let times = 0; times < 12; times += 1) enter("light", 1);
      for (let times = 0; times < 12; times += 1) enter("heavy", 3);
      await settled();
      expect(order.filter((account) => account === "light")).toHaveLength(8);
      expect(order.filter((account) => account === "heavy")).toHaveLength(6);
    });
  });

  describe("with requests that may wait", () => {
    type Wanted = [name: string, account: string, isFlex: boolean];
    const enterNamed = (queue: FairQueue, wanted: readonly Wanted[]) => {
      const entered = { order: [] as string[], slots: [] as Slot[] };
      for (const [name, accountId, isFlex] of wanted) {
        queue.enter({ accountId, cost: 10, places: 1, isFlex }, never).then(
          (slot) => {
            entered.order.push(name);
            entered.slots.push(slot);
          },
          () => entered.order.push(`${name} refused`),
        );
      }
      return entered;
    };

    it("runs them behind all others, also behind those that come later and of the same account", async () => {
      const queue = queueOf(1);
      const entered = enterNamed(queue, [
        ["first", "a", false],
        ["flex 1", "a", true],
        ["flex 2", "b", true],
        ["second", "a", false],
        ["third", "c", false],
        ["flex 3", "a", true],
        ["fourth", "a", false],
      ]);
      await drain(entered, 10);
      expect(entered.order.slice(0, 4).sort()).toEqual(["first", "fourth", "second", "third"]);
      expect(entered.order.slice(4)).toEqual(["flex 1", "flex 2", "flex 3"]);
    });

    it("takes turns between accounts among them, and does not charge the account's others", async () => {
      const queue = queueOf(1);
      const running = await queue.enter({ accountId: "z", cost: 1, places: 1 }, never);
      const flexes = Array.from({ length: 6 }, (_, index): Wanted => [`a${index}`, "a", true]);
      const entered = enterNamed(queue, [...flexes, ["b0", "b", true]]);
      running.leave(1);
      await settled();
      entered.slots.shift()?.leave(10);
      await settled();
      const others = enterNamed(queue, [
        ["c", "c", false],
        ["a", "a", false],
      ]);
      await settled();
      entered.slots.shift()?.leave(10);
      await drain(others, 10);
      expect(entered.order.slice(0, 2)).toEqual(["a0", "b0"]);
      expect(others.order).toEqual(["c", "a"]);
      await drain(entered, 10);
      expect(entered.order).toHaveLength(7);
    });

    it("refuses them after the same wait as others", async () => {
      const queue = queueOf(1, { maxWaitMs: 5 });
      await queue.enter({ accountId: "a", cost: 1, places: 1 }, never);
      const wait = queue.enter({ accountId: "b", cost: 1, places: 1, isFlex: true }, never);
      expect(await codeOf(wait)).toBe("overloaded");
    });

    it("leaves half of the queue to others", async () => {
      const queue = queueOf(1, { maxLength: 4 });
      await queue.enter({ accountId: "z", cost: 1, places: 1 }, never);
      const { order } = enterNamed(queue, [
        ["flex 1", "a", true],
        ["flex 2", "a", true],
        ["flex 3", "a", true],
        ["other", "a", false],
      ]);
      await settled();
      expect(order).toEqual(["flex 3 refused"]);
      expect(queue.waiting).toBe(3);
    });

    it("keeps the last place free for others while they are about, and uses an engine that is idle", async () => {
      const clock = new FakeClock();
      const queue = queueOf(2, { clock });
      (await queue.enter({ accountId: "b", cost: 1, places: 1 }, never)).leave(1);
      const wide = await queue.enter({ accountId: "a", cost: 1, places: 2, isFlex: true }, never);
      wide.leave(1);
      const entered = enterNamed(queue, [
        ["flex 1", "a", true],
        ["flex 2", "c", true],
      ]);
      await settled();
      expect(entered.order).toEqual(["flex 1"]);
      await queue.enter({ accountId: "b", cost: 1, places: 1 }, never);
      expect(queue.running).toBe(2);
    });

    it("preempts nothing for them", async () => {
      const queue = queueOf(2, { preempts: () => true });
      const entered = enterNamed(queue, [
        ["1", "a", false],
        ["2", "a", false],
        ["flex", "b", true],
        ["3", "b", false],
      ]);
      await settled();
      expect(entered.order).toEqual(["1", "2", "3"]);
    });
  });

  it("in any order of events: within the capacity, everybody in the end, nobody twice", async () => {
    const event = fc.oneof(
      fc.record({
        type: fc.constant("enter" as const),
        accountId: fc.constantFrom("a", "b", "c"),
        cost: fc.integer({ min: 0, max: 50 }),
        places: fc.integer({ min: 1, max: 5 }),
      }),
      fc.record({ type: fc.constant("leave" as const), used: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ type: fc.constant("hang up" as const), which: fc.nat(20) }),
      fc.record({ type: fc.constant("capacity" as const), capacity: fc.integer({ min: 0, max: 4 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60, size: "max" }), async (events) => {
        let capacity = 3;
        const queue = queueOf(() => capacity);
        const running: { slot: Slot; places: number }[] = [];
        const hangUps: AbortController[] = [];
        let [came, went, left] = [0, 0, 0];
        for (const one of events) {
          if (one.type === "capacity") capacity = one.capacity;
          else if (one.type === "hang up") hangUps[one.which]?.abort();
          else if (one.type === "leave") {
            const slot = running.shift()?.slot;
            if (slot !== undefined) left += 1;
            slot?.leave(one.used);
          } else {
            came += 1;
            const hangUp = new AbortController();
            hangUps.push(hangUp);
            const { places } = one;
            queue.enter(one, hangUp.signal).then(
              (slot) => running.push({ slot, places }),
              () => (went += 1),
            );
          }
          await settled();
          expect(queue.running).toBe(running.reduce((sum, { places }) => sum + places, 0));
          expect(came).toBe(went + left + running.length + queue.waiting);
        }
        capacity = 2;
        await drainAll(queue, running);
        expect([queue.waiting, queue.running]).toEqual([0, 0]);
      }),
    );
  });
});

async function drainAll(queue: FairQueue, running: { slot: Slot }[]): Promise<void> {
  // Whoever enters makes the queue read its new capacity.
  queue.enter({ accountId: "last", cost: 1, places: 1 }, never).then(
    (slot) => running.push({ slot }),
    () => undefined,
  );
  await settled();
  for (let one = running.shift(); one !== undefined; one = running.shift()) {
    one.slot.leave(1);
    await settled();
  }
}
