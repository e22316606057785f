import { describe, expect, it } from "vitest";
import { ThreadPace } from "./thread-pace.js";

/** Steps of a second on a machine that gives us so many cores. */
function setUp(most: number, idleAtFirst?: number, mostForFew = most) {
  let [nowMs, cpuMs, idleMs, idleCores] = [0, 0, 0, idleAtFirst ?? 0];
  const changes: number[] = [];
  const pace = new ThreadPace(
    {
      most,
      mostForFew,
      setThreads: (threads) => changes.push(threads),
      idleMs: idleAtFirst === undefined ? undefined : () => idleMs,
    },
    () => cpuMs,
    () => nowMs,
  );
  const steps = async (
    count: number,
    cores: number,
    kind: "prompts" | "replies" = "replies",
    sequences = 4,
  ) => {
    for (let step = 0; step < count; step++) {
      await pace.run(
        () => {
          nowMs += 1000;
          idleMs += 1000 * idleCores;
          cpuMs += 1000 * Math.min(cores, pace.threads);
          return Promise.resolve();
        },
        { kind, sequences },
      );
    }
  };
  const rest = (ms: number) => {
    nowMs += ms;
    idleMs += ms * idleCores;
  };
  const setIdle = (cores: number) => (idleCores = cores);
  return { pace, steps, changes, rest, setIdle };
}

describe("thread pace", () => {
  it("leaves threads alone that have a core each", async () => {
    const { steps, changes } = setUp(4);
    await steps(100, 4);
    expect(changes).toEqual([]);
  });

  it("uses one more in steps of few sequences, unless it has given up some", async () => {
    const { steps, changes } = setUp(15, undefined, 16);
    await steps(2, 16, "replies", 2);
    await steps(2, 15);
    await steps(1, 16, "prompts", 1);
    expect(changes).toEqual([16, 15, 16]);
    await steps(2, 8);
    await steps(1, 8, "replies", 1);
    expect(changes).toEqual([16, 15, 16, 15, 8]);
  });

  it("uses fewer when they have to share", async () => {
    const { pace, steps } = setUp(4);
    await steps(1, 1.2);
    expect(pace.threads).toBe(4);
    await steps(1, 1.2);
    expect(pace.threads).toBe(1);
  });

  it("gives up one where another process takes half a core", async () => {
    const { pace, steps } = setUp(8);
    await steps(2, 7.3);
    expect(pace.threads).toBe(7);
  });

  it("takes no notice of what is always missing of many", async () => {
    const { steps, changes } = setUp(15);
    await steps(200, 14.2);
    expect(changes).toEqual([]);
  });

  it("takes no notice of what is missing while cores are idle", async () => {
    const { steps, changes } = setUp(15, 2);
    await steps(200, 13.4);
    expect(changes).toEqual([]);
  });

  it("uses fewer where fewer cores are idle than are missing", async () => {
    const { pace, steps } = setUp(15, 1);
    await steps(2, 13.4);
    expect(pace.threads).toBe(13);
  });

  it("takes idle cores between two requests for nothing but that", async () => {
    const { pace, steps, rest } = setUp(15, 1);
    await steps(1, 13.4);
    rest(5_000);
    await steps(1, 13.4);
    expect(pace.threads).toBe(13);
  });

  it("uses more again although some of many is always missing, where cores are idle", async () => {
    const { steps, changes } = setUp(15, 2);
    await steps(2, 5);
    await steps(2, 4.6);
    expect(changes).toEqual([5, 7]);
  });

  it("tries no more while no core is idle, and takes all that are as soon as they are", async () => {
    const { pace, steps, changes, setIdle } = setUp(15, 0);
    await steps(2, 1);
    await steps(600, 1);
    expect(changes).toEqual([1]);
    setIdle(14.8);
    await steps(3, 15);
    expect(pace.threads).toBe(15);
  });

  it("does not take a pause between two requests for room", async () => {
    const { pace, steps, rest, setIdle } = setUp(2, 0);
    await steps(2, 1);
    for (let request = 0; request < 20; request++) {
      setIdle(2);
      rest(5_000);
      setIdle(0);
      await steps(2, 1);
    }
    expect(pace.threads).toBe(1);
  });

  it("uses fewer of many when several have to share", async () => {
    const { pace, steps } = setUp(15);
    await steps(2, 13.4);
    expect(pace.threads).toBe(13);
  });

  it("takes no notice of what prompts leave unused, but of a crowd", async () => {
    const { pace, steps, changes } = setUp(14);
    await steps(200, 9.2, "prompts");
    expect(changes).toEqual([]);
    await steps(2, 5.5, "prompts");
    expect(pace.threads).toBe(5);
  });

  it("takes no notice of what our own process for requests takes", async () => {
    const { steps, changes } = setUp(2);
    await steps(50, 1.8);
    expect(changes).toEqual([]);
  });

  it("goes on with one thread, however little it gets", async () => {
    const { steps, changes } = setUp(2);
    await steps(50, 0.2);
    expect(changes).toEqual([1]);
  });

  it("returns to all threads when the machine is idle again", async () => {
    const { pace, steps } = setUp(3);
    await steps(2, 1);
    expect(pace.threads).toBe(1);
    await steps(20, 3);
    expect(pace.threads).toBe(3);
  });

  it("tries less and less often what does not work", async () => {
    const { steps, changes } = setUp(2);
    // One core is always free, a second never.
    await steps(400, 1);
    const tries = changes.filter((threads) => threads === 2).length;
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThan(12);
  });

  it("measures nothing where there is nothing to choose", async () => {
    const { steps, changes } = setUp(1);
    await steps(10, 0.1);
    expect(changes).toEqual([]);
  });
});
