import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import type { UsageOutcome } from "../usage/usage-recorder.js";
import { OutcomeRecorder, type EndedRequest } from "./outcome-recorder.js";
import type { Outcomes, OutcomeStore } from "./ports.js";

const finished: EndedRequest = { model: "omega", code: "none", outcome: "ok" };
const refused: EndedRequest = { model: null, code: "rate_limit_exceeded", outcome: "rate_limited" };

describe("outcome recorder", () => {
  let clock: FakeClock;
  let recorder: OutcomeRecorder;
  let live: { outcome: UsageOutcome; now: Date }[];
  let errors: unknown[];
  /** Takes what is written, or throws. */
  let add: OutcomeStore["add"];
  let written: Outcomes[][];

  beforeEach(() => {
    clock = new FakeClock(new Date("2030-01-01T09:59:59Z"));
    [live, errors, written] = [[], [], []];
    add = async (rows) => void written.push([...rows]);
    const rest = {
      readByCode: async () => [],
      readByDay: async () => [],
      readHoursWith: async () => [],
      since: async () => null,
      prune: async () => undefined,
    };
    recorder = new OutcomeRecorder({
      store: { ...rest, add: (rows) => add(rows) },
      live: { add: (outcome, now) => live.push({ outcome, now }) },
      clock,
      reportError: (error) => errors.push(error),
    });
  });

  const nine = new Date("2030-01-01T09:00:00Z");
  const ten = new Date("2030-01-01T10:00:00Z");

  it("sums up by hour, model and code", async () => {
    recorder.record(finished);
    recorder.record(refused);
    recorder.record(finished);
    clock.advance(1_000);
    recorder.record(finished);
    await recorder.close();
    expect(written).toEqual([
      [
        { start: nine, model: "omega", code: "none", requests: 2 },
        { start: nine, model: null, code: "rate_limit_exceeded", requests: 1 },
        { start: ten, model: "omega", code: "none", requests: 1 },
      ],
    ]);
    expect(live.map(({ outcome }) => outcome)).toEqual(["ok", "rate_limited", "ok", "ok"]);
    expect(live.at(-1)?.now).toEqual(ten);
  });

  it("goes by the clock when that is set back", async () => {
    clock.advance(1_000);
    recorder.record(finished);
    clock.advance(-1_000);
    recorder.record(finished);
    await recorder.close();
    expect(written.flat().map(({ start, requests }) => [start, requests])).toEqual([
      [ten, 1],
      [nine, 1],
    ]);
  });

  it("keeps what the store did not take, with what came meanwhile", async () => {
    const failure = new Error("disk full");
    add = async () => {
      recorder.record(finished);
      throw failure;
    };
    recorder.record(finished);
    await recorder.flush();
    await recorder.flush();
    expect(errors).toEqual([failure]);
    add = async (rows) => void written.push([...rows]);
    await recorder.close();
    expect(written).toEqual([[{ start: nine, model: "omega", code: "none", requests: 3 }]]);
  });

  it("does not change what is being written", async () => {
    add = async (rows) => {
      recorder.record(finished);
      written.push([...rows]);
    };
    recorder.record(finished);
    await recorder.flush();
    await recorder.flush();
    expect(written).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
    add = async () => undefined;
    await recorder.close();
  });
});
