import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import type { UsageBucketRow, UsageStore } from "./dashboard-ports.js";
import { LiveRates } from "./live-rates.js";
import { UsageRecorder, type UsedRequest } from "./usage-recorder.js";

const request: UsedRequest = {
  accountId: "acc_1",
  keyId: "key_1",
  model: "omega",
  outcome: "ok",
  promptTokens: 10,
  completionTokens: 5,
  firstTokenMs: 80,
};

class ScriptedStore implements UsageStore {
  readonly written: UsageBucketRow[][] = [];
  failure: Error | null = null;
  /** Before what is added can be read. */
  commit: Promise<void> = Promise.resolve();

  async add(rows: readonly UsageBucketRow[]): Promise<void> {
    await this.commit;
    if (this.failure !== null) throw this.failure;
    this.written.push([...rows]);
  }

  async read(): Promise<UsageBucketRow[]> {
    return this.written.flat();
  }

  async readByTime(): Promise<[]> {
    return [];
  }

  async readByKey(): Promise<[]> {
    return [];
  }

  async prune(): Promise<void> {}
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("usage recorder", () => {
  let store: ScriptedStore;
  let clock: FakeClock;
  let recorder: UsageRecorder;
  const faults: unknown[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    store = new ScriptedStore();
    clock = new FakeClock(new Date("2030-01-01T09:59:00Z"));
    recorder = new UsageRecorder(store, new LiveRates(clock), clock, (error) => faults.push(error));
    faults.length = 0;
  });
  afterEach(async () => {
    await recorder.close();
    vi.useRealTimers();
  });

  it("writes what gathered in one batch within a second, summed up by bucket", async () => {
    recorder.record(request);
    recorder.record({ ...request, outcome: "error", firstTokenMs: undefined });
    recorder.record({ ...request, model: "prism" });
    clock.advance(60_000);
    recorder.record(request);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.written).toHaveLength(1);
    expect(store.written[0]).toMatchObject([
      {
        model: "omega",
        start: new Date("2030-01-01T09:00:00Z"),
        requests: 2,
        errors: 1,
        promptTokens: 20,
        completionTokens: 10,
        firstTokenMs: 80,
        firstTokens: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        firstTokenMinMs: 80,
        firstTokenMaxMs: 80,
      },
      { model: "prism", requests: 1 },
      { model: "omega", start: new Date("2030-01-01T10:00:00Z"), requests: 1 },
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.written).toHaveLength(1);
  });

  it("keeps what could not be written and tries again, without counting twice", async () => {
    store.failure = new Error("disk full");
    recorder.record(request);
    await recorder.flush();
    recorder.record(request);
    await recorder.flush();
    expect(faults).toEqual([store.failure]);
    store.failure = null;
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 2, promptTokens: 20 }]]);
  });

  it("keeps a bounded number of buckets while nothing can be written", async () => {
    store.failure = new Error("disk full");
    for (let i = 0; i < 25_000; i++) recorder.record({ ...request, keyId: `key_${i}` });
    recorder.record({ ...request, keyId: "key_0" });
    await recorder.flush();
    store.failure = null;
    await recorder.flush();
    const [rows = []] = store.written;
    expect(rows).toHaveLength(20_000);
    expect(rows.find(({ keyId }) => keyId === "key_0")?.requests).toBe(2);
  });

  it("drops what belongs to a deleted account", async () => {
    recorder.record(request);
    recorder.record({ ...request, accountId: "acc_2" });
    recorder.forgetAccount("acc_1");
    await recorder.flush();
    expect(store.written).toMatchObject([[{ accountId: "acc_2" }]]);
  });

  it("counts what was refused apart from requests, also before its model was known", async () => {
    const refused = { ...request, promptTokens: 0, completionTokens: 0, firstTokenMs: undefined };
    recorder.record({ ...refused, outcome: "rate_limited", model: null });
    recorder.record({ ...refused, outcome: "rate_limited", model: null });
    recorder.record({ ...refused, outcome: "unavailable" });
    await recorder.flush();
    expect(store.written).toMatchObject([
      [
        { model: null, requests: 0, errors: 0, rateLimited: 2, unavailable: 0 },
        { model: "omega", requests: 0, errors: 0, rateLimited: 0, unavailable: 1 },
      ],
    ]);
  });

  describe("for who reads", () => {
    /** The requests of the account: those in the store, and those that are still held. */
    const requests = (whileReading: () => Promise<void> = async () => undefined) =>
      recorder.reading("acc_1", async (held) => {
        const stored = await store.read();
        await whileReading();
        const again = await store.read();
        expect(again).toEqual(stored);
        return [...stored, ...held].reduce((sum, row) => sum + row.requests, 0);
      });

    it("has what is not written yet, of the account alone", async () => {
      recorder.record(request);
      recorder.record({ ...request, accountId: "acc_2" });
      expect(await requests()).toBe(1);
      store.failure = new Error("disk full");
      await recorder.flush();
      expect(await requests()).toBe(1);
    });

    it("has each count once while it is being written", async () => {
      const commit = gate();
      store.commit = commit.opened;
      recorder.record(request);
      const flushed = recorder.flush();
      const counted = requests();
      recorder.record(request);
      commit.open();
      await flushed;
      expect(await counted).toBe(2);
    });

    it("writes nothing while it is read, and goes on afterwards", async () => {
      recorder.record(request);
      let flushed: Promise<void> | undefined;
      const counted = await requests(async () => {
        flushed = recorder.flush();
        await vi.advanceTimersByTimeAsync(1_000);
      });
      expect(counted).toBe(1);
      await flushed;
      expect(store.written).toHaveLength(1);
      expect(await requests()).toBe(1);
    });

    it("writes after a few seconds though a reading does not end", async () => {
      const stuck = gate();
      const reading = recorder.reading("acc_1", () => stuck.opened);
      recorder.record(request);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(store.written).toHaveLength(1);
      stuck.open();
      await reading;
    });
  });

  it("writes the rest when it is closed", async () => {
    recorder.record(request);
    await recorder.close();
    expect(store.written).toHaveLength(1);
  });
});
