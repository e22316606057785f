import { describe, expect, it } from "vitest";
import { idle, withIdleTicks } from "./idle-ticks.js";

describe("idle ticks", () => {
  it("come between items that are slow, and leave the items as they are", async () => {
    let release: (value: string) => void = () => undefined;
    async function* source() {
      yield "first";
      yield await new Promise<string>((resolve) => (release = resolve));
      yield "third";
    }
    const seen: unknown[] = [];
    for await (const item of withIdleTicks(source(), 5)) {
      if (item === idle && seen.at(-1) === idle) release("second");
      else seen.push(item);
    }
    expect(seen).toEqual(["first", idle, "second", "third"]);
  });

  it("return the source when their consumer stops, and wait for it", async () => {
    let closed = false;
    async function* source() {
      try {
        yield 1;
        yield 2;
      } finally {
        await Promise.resolve();
        closed = true;
      }
    }
    for await (const item of withIdleTicks(source(), 1000)) {
      expect(item).toBe(1);
      break;
    }
    expect(closed).toBe(true);
  });

  it("pass on what the source throws", async () => {
    // eslint-disable-next-line require-yield -- it fails before its first item
    async function* source(): AsyncGenerator<never> {
      throw new Error("broken");
    }
    await expect(withIdleTicks(source(), 1000).next()).rejects.toThrow("broken");
  });
});
