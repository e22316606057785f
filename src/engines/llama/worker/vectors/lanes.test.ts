import { describe, expect, it } from "vitest";
import { eventually } from "../../../../../test/support/eventually.js";
import type { StepReport, TaskResult } from "../../messages.js";
import { Lanes, type BatchLimits, type Lane, type LaneTask } from "./lanes.js";

interface Computing {
  /** The first of each input in the batch. */
  tokens: number[];
  token: number;
  threads: number;
  finish: () => void;
  fail: () => void;
}

/** Lanes whose inputs are finished by the test. An input of one token is computed to that token. */
function openLanes(count: number, best = count, most: BatchLimits = { inputs: 1, tokens: Infinity }) {
  const records: [threads: number, tokens: number, ms: number][] = [];
  const computing: Computing[] = [];
  const reports: StepReport[] = [];
  let broken = 0;
  const lane: Lane = {
    compute: (inputs, threads) =>
      new Promise((resolve, reject) => {
        const tokens = inputs.map(([token = 0]) => token);
        const [token = 0] = tokens;
        const leave = () => computing.splice(computing.indexOf(one), 1);
        const one: Computing = {
          tokens,
          token,
          threads,
          finish: () => {
            leave();
            resolve(tokens.map((one) => Float64Array.of(one)));
          },
          fail: () => {
            leave();
            reject(new Error("native"));
          },
        };
        computing.push(one);
      }),
  };
  const lanes = new Lanes({
    lanes: Array.from({ length: count }, () => ({ ...lane })),
    most,
    threads: count,
    choice: { best: () => best, next: () => best, record: (...measured) => records.push(measured) },
    onStep: (report) => reports.push(report),
    onBroken: () => (broken += 1),
  });
  const resultOf = (values: readonly Float64Array[]): TaskResult => ({
    type: "scores",
    scores: values.map(([value = 0]) => value),
  });
  return {
    lanes,
    computing,
    reports,
    records,
    broken: () => broken,
    start: (id: number, tokens: readonly number[], changes: Partial<LaneTask> = {}) => {
      const inputs = tokens.map((token) => Uint32Array.of(token));
      lanes.start({ id, accountId: `acc_${id}`, inputs, resultOf, ...changes });
    },
    running: (tokens: number[]) =>
      eventually(
        () =>
          computing
            .map(({ token }) => token)
            .sort()
            .join() === tokens.sort().join(),
      ),
    finish: (token: number) => {
      computing.find((one) => one.token === token)?.finish();
    },
    resultsOf: (id: number) =>
      reports.flatMap(({ progress }) =>
        progress.flatMap((one) => (one.id === id && one.result !== undefined ? [one.result] : [])),
      ),
    endingOf: (id: number) =>
      reports.flatMap(({ endings }) => endings).find((ending) => ending.id === id)?.outcome.type,
  };
}

describe("the lanes", () => {
  it("give results in the order of the inputs, whichever is computed first", async () => {
    const { start, running, finish, resultsOf, endingOf, lanes } = openLanes(2);
    start(1, [10, 11, 12]);
    await running([10, 11]);
    finish(11);
    await running([10, 12]);
    finish(12);
    finish(10);
    await eventually(() => endingOf(1) === "finished");
    expect(resultsOf(1)).toEqual([{ type: "scores", scores: [10, 11, 12] }]);
    expect(lanes.isIdle).toBe(true);
  });

  it("give one input that is alone all threads, and several one each", async () => {
    const { start, running, finish, computing, endingOf } = openLanes(4);
    start(1, [10]);
    await running([10]);
    expect(computing[0]?.threads).toBe(4);
    finish(10);
    await eventually(() => endingOf(1) === "finished");
    start(2, [20, 21, 22, 23, 24]);
    await running([20, 21, 22, 23]);
    expect(computing.map(({ threads }) => threads)).toEqual([1, 1, 1, 1]);
  });

  it("share the threads among fewer inputs by their length, the longest first", async () => {
    const { lanes, running, computing, start } = openLanes(16);
    const input = (length: number) => new Uint32Array(length).fill(length);
    start(1, [], { inputs: [10, 90, 60].map(input) });
    await running([10, 60, 90]);
    const threadsOf = () => Object.fromEntries(computing.map(({ token, threads }) => [token, threads]));
    expect(threadsOf()).toEqual({ 90: 9, 60: 6, 10: 1 });
    for (const one of [...computing]) one.finish();
    await eventually(() => lanes.isIdle);
    start(2, [], { inputs: [500, 1, 2, 3, 4].map(input) });
    await running([1, 2, 3, 4, 500]);
    // What is left for the longest, not its share.
    expect(threadsOf()[500]).toBe(12);
  });

  it("compute short inputs of a task together, and leave as many to the others", async () => {
    const { start, running, computing, resultsOf, endingOf } = openLanes(2, 2, { inputs: 4, tokens: 100 });
    const lengths = [10, 50, 20, 40, 30];
    start(1, [], { inputs: lengths.map((length) => new Uint32Array(length).fill(length)) });
    await running([40, 50]);
    expect(computing.map(({ tokens }) => tokens)).toEqual([
      [50, 20],
      [40, 30, 10],
    ]);
    for (const one of [...computing]) one.finish();
    await eventually(() => endingOf(1) === "finished");
    expect(resultsOf(1)).toEqual([{ type: "scores", scores: lengths }]);
  });

  it("compute no more inputs in a batch than fit, and one that is longer alone", async () => {
    const { start, running, computing } = openLanes(1, 1, { inputs: 3, tokens: 100 });
    const input = (length: number) => new Uint32Array(length).fill(length);
    start(1, [], { inputs: [300, 1, 2, 3, 4].map(input) });
    await running([300]);
    expect(computing[0]?.tokens).toEqual([300]);
    computing[0]?.finish();
    await running([4]);
    expect(computing[0]?.tokens).toEqual([4, 3, 2]);
  });

  describe("with inputs of several tasks", () => {
    const input = (length: number) => new Uint32Array(length).fill(length);

    it("compute them together up to 64 tokens, those of the account whose turn it is first", async () => {
      const { start, running, computing, resultsOf, endingOf } = openLanes(1, 1, { inputs: 31, tokens: 256 });
      start(1, [1]);
      start(2, [], { inputs: [30, 90, 20].map(input) });
      start(3, [], { inputs: [40, 10].map(input), accountId: "acc_1" });
      await running([1]);
      computing[0]?.finish();
      // 140 of the task's own, and nothing beside them.
      await running([90]);
      expect(computing[0]?.tokens).toEqual([90, 30, 20]);
      // It has read nothing yet.
      start(4, [], { inputs: [35].map(input) });
      computing[0]?.finish();
      await running([35]);
      expect(computing[0]?.tokens).toEqual([35, 10]);
      computing[0]?.finish();
      await running([40]);
      computing[0]?.finish();
      for (const id of [1, 2, 3, 4]) await eventually(() => endingOf(id) === "finished");
      expect([2, 3, 4].flatMap(resultsOf)).toEqual([
        { type: "scores", scores: [30, 90, 20] },
        { type: "scores", scores: [40, 10] },
        { type: "scores", scores: [35] },
      ]);
    });

    it("compute each by itself after a failure, which is only that of the one that fails again", async () => {
      const { start, running, computing, endingOf, broken } = openLanes(1, 1, { inputs: 31, tokens: 256 });
      start(1, [1]);
      start(2, [20]);
      start(3, [30]);
      start(4, [40]);
      await running([1]);
      computing[0]?.finish();
      await running([20]);
      expect(computing[0]?.tokens).toEqual([20, 30, 40]);
      computing[0]?.fail();
      await running([20]);
      expect(computing[0]?.tokens).toEqual([20]);
      computing[0]?.finish();
      await running([30]);
      computing[0]?.fail();
      await running([40]);
      computing[0]?.finish();
      await eventually(() => endingOf(4) === "finished");
      expect([1, 2, 3].map(endingOf)).toEqual(["finished", "finished", "failed"]);
      expect(broken()).toBe(0);
    });

    it("end a task that was aborted with the batch it is in", async () => {
      const { lanes, start, running, computing, endingOf } = openLanes(1, 1, { inputs: 31, tokens: 256 });
      start(1, [1]);
      start(2, [20, 21]);
      start(3, [30]);
      await running([1]);
      computing[0]?.finish();
      await running([20]);
      lanes.abort(2);
      expect(endingOf(2)).toBeUndefined();
      computing[0]?.finish();
      await eventually(() => lanes.isIdle);
      expect([2, 3].map(endingOf)).toEqual(["aborted", "finished"]);
    });
  });

  it("use no more threads for an input than are fastest, and measure those that are alone", async () => {
    const { start, running, finish, computing, records, endingOf } = openLanes(8, 2);
    start(1, [10, 11]);
    await running([10, 11]);
    expect(computing.map(({ threads }) => threads)).toEqual([2, 2]);
    finish(10);
    await running([11]);
    finish(11);
    await eventually(() => endingOf(1) === "finished");
    start(2, [20]);
    await running([20]);
    finish(20);
    await eventually(() => endingOf(2) === "finished");
    expect(records.map(([threads, tokens]) => [threads, tokens])).toEqual([[2, 1]]);
  });

  it("let accounts take turns", async () => {
    const { start, running, finish } = openLanes(2);
    start(1, [10, 11, 12, 13]);
    await running([10, 11]);
    start(2, [20]);
    finish(10);
    await running([11, 20]);
  });

  it("end an aborted task with what is being computed, and compute no more of it", async () => {
    const { lanes, start, running, finish, endingOf, resultsOf, computing } = openLanes(1);
    start(1, [10, 11, 12]);
    await running([10]);
    lanes.abort(1);
    expect(endingOf(1)).toBeUndefined();
    finish(10);
    await eventually(() => endingOf(1) === "aborted");
    expect(computing).toEqual([]);
    expect(resultsOf(1)).toEqual([]);
    start(2, [20]);
    await running([20]);
    expect(computing[0]?.threads).toBe(1);
  });

  it("end a task that waits for its turn when it is aborted", async () => {
    const { lanes, start, running, endingOf } = openLanes(1);
    start(1, [10]);
    await running([10]);
    start(2, [20]);
    lanes.abort(2);
    await eventually(() => endingOf(2) === "aborted");
    expect(endingOf(1)).toBeUndefined();
  });

  it("fail the task whose input fails, and no other; twice in a row they are broken", async () => {
    const { start, running, finish, computing, endingOf, broken } = openLanes(1);
    start(1, [10, 11]);
    await running([10]);
    start(2, [20]);
    computing[0]?.fail();
    await eventually(() => endingOf(1) === "failed");
    await running([20]);
    finish(20);
    await eventually(() => endingOf(2) === "finished");
    for (const id of [3, 4]) {
      expect(broken()).toBe(0);
      start(id, [id]);
      await running([id]);
      computing[0]?.fail();
      await eventually(() => endingOf(id) === "failed");
    }
    expect(broken()).toBe(1);
  });

  it("are closed once what they compute is done", async () => {
    const { lanes, start, running, finish, endingOf } = openLanes(1);
    start(1, [10, 11]);
    await running([10]);
    let isClosed = false;
    const closed = lanes.close().then(() => (isClosed = true));
    await Promise.resolve();
    expect(isClosed).toBe(false);
    finish(10);
    await closed;
    expect(endingOf(1)).toBe("aborted");
  });
});
