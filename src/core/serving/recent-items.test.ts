import { afterEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { RecentItems, type ItemBounds } from "./recent-items.js";

const clock = new FakeClock();
const opened: RecentItems[] = [];
afterEach(() => {
  for (const items of opened.splice(0)) items.close();
});

function open(perAccount?: Partial<ItemBounds>, inAll?: Partial<ItemBounds>): RecentItems {
  const bounds = { items: 1_000, bytes: 1_000_000 };
  const items = new RecentItems(clock, { ...bounds, ...perAccount }, { ...bounds, ...inAll });
  opened.push(items);
  return items;
}

const item = (id: string, text = "said") => ({ id, type: "message", text });
const keep = (items: RecentItems, accountId: string, ...ids: string[]) => {
  items.keep(
    accountId,
    ids.map((id) => item(id)),
  );
};
const has = (items: RecentItems, accountId: string, ...ids: string[]) =>
  ids.filter((id) => items.recall(accountId, id) !== undefined);

describe("an item of a recent reply", () => {
  it("is recalled as it was, by the account that it was written for and by no other", () => {
    const items = open();
    items.keep("acc_a", [item("msg_1", "snow ❄")]);
    expect(items.recall("acc_a", "msg_1")).toEqual(item("msg_1", "snow ❄"));
    expect(items.recall("acc_b", "msg_1")).toBeUndefined();
    expect(items.recall("acc_a", "msg_2")).toBeUndefined();
  });

  it("is gone ten minutes after it was last used", () => {
    const items = open();
    keep(items, "acc_a", "msg_1", "msg_2");
    clock.advance(9 * 60_000);
    expect(has(items, "acc_a", "msg_1")).toEqual(["msg_1"]);
    clock.advance(9 * 60_000);
    expect(has(items, "acc_a", "msg_1", "msg_2")).toEqual(["msg_1"]);
    clock.advance(10 * 60_000);
    items.dropExpired();
    expect(items.size).toEqual({ items: 0, bytes: 0 });
  });

  it("is gone with its account, others' are not", () => {
    const items = open();
    keep(items, "acc_a", "msg_1", "msg_2");
    keep(items, "acc_b", "msg_3");
    expect(items.keptOf("acc_a")).toEqual({ count: 2, lastMs: 600_000 });
    items.forgetAccount("acc_a");
    expect(items.keptOf("acc_a")).toEqual({ count: 0, lastMs: 0 });
    expect(has(items, "acc_a", "msg_1", "msg_2")).toEqual([]);
    expect(has(items, "acc_b", "msg_3")).toEqual(["msg_3"]);
    expect(items.size.items).toBe(1);
  });

  it("makes room for newer ones of its account, the oldest first", () => {
    const items = open({ items: 2 });
    keep(items, "acc_b", "msg_0");
    keep(items, "acc_a", "msg_1", "msg_2");
    expect(has(items, "acc_a", "msg_1")).toEqual(["msg_1"]);
    keep(items, "acc_a", "msg_3");
    expect(has(items, "acc_a", "msg_1", "msg_2", "msg_3")).toEqual(["msg_1", "msg_3"]);
    expect(has(items, "acc_b", "msg_0")).toEqual(["msg_0"]);
  });

  it("is bounded in bytes, and one that is too large is not kept", () => {
    const items = open({ bytes: 2_000 });
    items.keep("acc_a", [item("msg_1", "x".repeat(900)), item("msg_2", "x".repeat(900))]);
    expect(has(items, "acc_a", "msg_1", "msg_2")).toEqual(["msg_2"]);
    items.keep("acc_a", [item("msg_3", "x".repeat(2_000))]);
    expect(has(items, "acc_a", "msg_2", "msg_3")).toEqual(["msg_2"]);
    expect(items.size.bytes).toBeLessThanOrEqual(2_000);
  });

  it("makes room where all together are too many, of the account that was quiet longest", () => {
    const items = open({}, { items: 3 });
    keep(items, "acc_a", "msg_1");
    keep(items, "acc_b", "msg_2", "msg_3");
    expect(has(items, "acc_a", "msg_1")).toEqual(["msg_1"]);
    keep(items, "acc_c", "msg_4");
    expect(has(items, "acc_b", "msg_2", "msg_3")).toEqual(["msg_3"]);
    expect(has(items, "acc_a", "msg_1")).toEqual(["msg_1"]);
    expect(items.size.items).toBe(3);
  });
});
