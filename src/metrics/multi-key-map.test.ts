import { describe, expect, it } from "vitest";
import { MultiKeyMap } from "./multi-key-map.js";

type Key = readonly [string, string | null, number];

describe("a map with keys of several values", () => {
  it("tells keys apart by every value, and by where it stands", () => {
    const keys: Key[] = [
      ["a", "b", 1],
      ["a", "b", 2],
      ["a", null, 1],
      ["a", "null", 1],
      ["b", "a", 1],
      ["a b", "", 1],
      ["a", " b", 1],
    ];
    const map = new MultiKeyMap<Key, number>();
    for (const [i, key] of keys.entries()) {
      expect(map.get(key)).toBeUndefined();
      map.add(key, i);
    }
    expect(keys.map((key) => map.get([...key]))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(map.size).toBe(7);
  });

  it("lists entries in the order in which they were added", () => {
    const map = new MultiKeyMap<Key, string>();
    map.add(["z", null, 1], "first");
    map.add(["a", null, 1], "second");
    map.add(["z", null, 0], "third");
    expect(map.values()).toEqual(["first", "second", "third"]);
    expect(map.entries().at(-1)).toEqual([["z", null, 0], "third"]);
  });

  it("keeps some entries, and leaves the original as it was", () => {
    const map = new MultiKeyMap<Key, string>();
    map.add(["a", "x", 1], "one");
    map.add(["b", "x", 1], "other");
    const kept = map.filter((entry) => entry === "one");
    expect([kept.get(["a", "x", 1]), kept.get(["b", "x", 1]), kept.size]).toEqual(["one", undefined, 1]);
    expect(map.size).toBe(2);
  });
});
