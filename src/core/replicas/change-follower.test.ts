import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { openTemporaryStore, type TemporaryStore } from "../../../test/support/stores/temporary-store.js";
import { ChangeFollower, type ChangeFollowerParts } from "./change-follower.js";
import type { FullStore } from "../../store/full-store.js";

/** Looks only when told to. */
const never = 1_000_000_000;

let temporary: TemporaryStore;
let store: FullStore;
let elsewhere: FullStore;
let happened: string[];
const followers: ChangeFollower[] = [];

beforeEach(async () => {
  temporary = await openTemporaryStore();
  store = temporary.store;
  elsewhere = await temporary.another();
  happened = [];
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map((follower) => follower.close()));
  await temporary.dispose();
});

async function follow(parts: Partial<ChangeFollowerParts> = {}): Promise<ChangeFollower> {
  const follower = await ChangeFollower.start({
    changes: store.changes,
    keys: {
      forget: (id) => void happened.push(`forget ${id}`),
      forgetAccount: (id) => void happened.push(`forget account ${id}`),
      forgetAll: () => void happened.push("forget all"),
    },
    cutStreams: (target) => void happened.push(`cut ${Object.values(target).join("")}`),
    reviewStreams: (target) =>
      void happened.push(`review ${target === "all" ? target : Object.values(target).join("")}`),
    dropCaches: (id) => void happened.push(`drop ${id}`),
    onModelsChanged: () => void happened.push("models"),
    onStoreHealth: (health) => void happened.push(health),
    everyMs: never,
    ...parts,
  });
  followers.push(follower);
  return follower;
}

describe("a change made elsewhere", () => {
  it("drops what changed and reviews its streams, and cuts the streams of what ended", async () => {
    const follower = await follow();
    await elsewhere.changes.append("key_ended", "key_1");
    await elsewhere.changes.append("key_changed", "key_2");
    await elsewhere.changes.append("account_ended", "acc_1");
    await elsewhere.changes.append("account_changed", "acc_2");
    await elsewhere.changes.append("sessions_ended", "acc_3");
    await elsewhere.changes.append("plans_changed", "free");
    await elsewhere.changes.append("models_changed", "");
    await elsewhere.changes.append("caches_dropped", "acc_1");
    await follower.look();
    expect(happened).toEqual([
      "forget key_1",
      "cut key_1",
      "forget key_2",
      "review key_2",
      "forget account acc_1",
      "cut acc_1",
      "forget account acc_2",
      "review acc_2",
      "review acc_3",
      "forget all",
      "review all",
      "models",
      "drop acc_1",
    ]);
  });

  it("is acted upon once", async () => {
    const follower = await follow();
    await elsewhere.changes.append("key_ended", "key_1");
    await follower.look();
    await follower.look();
    expect(happened).toEqual(["forget key_1", "cut key_1"]);
  });

  it("is ignored when it was made before this server started", async () => {
    await elsewhere.changes.append("key_ended", "key_1");
    const follower = await follow();
    await follower.look();
    expect(happened).toEqual([]);
  });

  it("is seen without a wake-up", async () => {
    await follow({ everyMs: 20 });
    await elsewhere.changes.append("key_ended", "key_1");
    await eventually(() => happened.includes("cut key_1"));
  });

  it("reviews rather than cuts the streams of a key that is enabled again", async () => {
    const follower = await follow();
    await elsewhere.changes.append("key_ended", "key_1");
    await elsewhere.changes.append("key_changed", "key_1");
    await follower.look();
    expect(happened).toEqual(["forget key_1", "review key_1"]);
  });

  it("is not missed when its wake-up comes while another change is being read", async () => {
    const follower = await follow();
    await elsewhere.changes.append("key_ended", "key_1");
    const first = follower.look();
    await elsewhere.changes.append("key_ended", "key_2");
    await Promise.all([first, follower.look()]);
    expect(happened).toContain("cut key_2");
  });

  it("is found among thousands", async () => {
    const follower = await follow();
    for (let i = 0; i < 1_200; i++) await elsewhere.changes.append("key_changed", `key_${i}`);
    await follower.look();
    expect(happened.filter((what) => what.startsWith("forget"))).toHaveLength(1_200);
  });
});

describe("when the store is unreachable", () => {
  it("reports it once, and continues from where it was", async () => {
    const follower = await follow();
    const last = vi.spyOn(store.changes, "last").mockRejectedValue(new Error("gone"));
    await follower.look();
    await follower.look();
    await elsewhere.changes.append("key_ended", "key_1");
    expect(happened).toEqual(["unreachable"]);
    last.mockRestore();
    await follower.look();
    expect(happened).toEqual(["unreachable", "forget key_1", "cut key_1", "ok"]);
  });

  it("starts all the same", async () => {
    const last = vi.spyOn(store.changes, "last").mockRejectedValue(new Error("gone"));
    const follower = await follow();
    last.mockRestore();
    await follower.look();
    expect(happened).toEqual(["unreachable", "ok"]);
  });
});

it("drops everything and reviews every stream when changes are missing", async () => {
  const follower = await follow();
  await elsewhere.changes.append("key_ended", "key_1");
  await elsewhere.changes.prune(new Date(Date.now() + 1_000));
  await elsewhere.changes.append("key_ended", "key_2");
  await follower.look();
  expect(happened).toEqual(["forget all", "review all", "models", "forget key_2", "cut key_2"]);
});

it("does the same when the numbers went back, as with a backup", async () => {
  const follower = await follow();
  await elsewhere.changes.append("key_ended", "key_1");
  await follower.look();
  happened = [];
  vi.spyOn(store.changes, "last").mockResolvedValue(0);
  await follower.look();
  expect(happened).toEqual(["forget all", "review all", "models"]);
});
