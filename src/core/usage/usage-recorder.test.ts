import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import type { QuotaDay, UsageBatch, UsageBucketRow, UsageSpill, UsageStore } from "./ports.js";
import { LiveRates } from "./live-rates.js";
import { UsageRecorder, type UsageLeft, type UsedRequest } from "./usage-recorder.js";

const request: UsedRequest = {
  accountId: "acc_1",
  keyId: "key_1",
  model: "omega",
  outcome: "ok",
  promptTokens: 10,
  completionTokens: 5,
  firstTokenMs: 80,
};

const day: QuotaDay = { accountId: "acc_1", keyId: "key_1", day: "2030-01-01", requests: 1, tokens: 15 };

class ScriptedStore implements UsageStore {
  readonly written: UsageBucketRow[][] = [];
  readonly days: QuotaDay[][] = [];
  failure: Error | null = null;
  /** Before what is added can be read. */
  commit: Promise<void> = Promise.resolve();

  /** Told of every write. */
  onWritten: () => void = () => undefined;
  /** Ids that are remembered. */
  readonly ids = new Set<string>();
  /** The write is done, and its answer does not arrive. */
  losesAnswers = false;

  async add(...[rows, batch, days = []]: Parameters<UsageStore["add"]>): Promise<void> {
    await this.commit;
    if (this.failure !== null) throw this.failure;
    if (batch !== undefined) {
      for (const id of batch.done) this.ids.delete(id);
      if (this.ids.has(batch.id)) return;
      this.ids.add(batch.id);
    }
    this.written.push([...rows]);
    this.days.push([...days]);
    if (this.written.length < 20) this.onWritten();
    if (this.losesAnswers) throw new Error("connection lost");
  }

  async forgetBatches(ids: readonly string[]): Promise<void> {
    if (this.failure !== null) throw this.failure;
    for (const id of ids) this.ids.delete(id);
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

  async readByModel(): Promise<[]> {
    return [];
  }

  async prune(): Promise<void> {}
}

/** A file that is never full, unless the test makes it so. */
class ScriptedSpill implements UsageSpill {
  saved: UsageBatch[] = [];
  failure: Error | null = null;

  load(): UsageBatch[] {
    return this.saved;
  }

  save(batches: readonly UsageBatch[]): void {
    if (this.failure !== null) throw this.failure;
    this.saved = [...batches];
  }

  clear(): void {
    if (this.failure !== null) throw this.failure;
    this.saved = [];
  }
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
  let spill: ScriptedSpill;
  let recorder: UsageRecorder;
  let left: UsageLeft[];
  const open = () =>
    new UsageRecorder({
      store,
      rates: new LiveRates(clock),
      clock,
      reportError: (error) => errors.push(error),
      spill,
      onLeft: (counts) => left.push(counts),
    });
  const errors: unknown[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    store = new ScriptedStore();
    clock = new FakeClock(new Date("2030-01-01T09:59:00Z"));
    spill = new ScriptedSpill();
    left = [];
    recorder = open();
    errors.length = 0;
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

  it("ends a round though requests go on, and leaves them for the next", async () => {
    store.onWritten = () => recorder.record(request);
    recorder.record(request);
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1 }]]);
    store.onWritten = () => undefined;
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
  });

  it("leaves a batch as it was sealed, though the same key goes on", async () => {
    const commit = gate();
    store.commit = commit.opened;
    recorder.record(request);
    recorder.recordDay(day);
    const flushed = recorder.flush();
    recorder.record(request);
    recorder.recordDay(day);
    commit.open();
    await flushed;
    await recorder.flush();
    const row = { requests: 1, promptTokens: 10, firstTokens: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] };
    expect(store.written).toMatchObject([[row], [row]]);
    expect(store.days).toEqual([[day], [day]]);
  });

  it("keeps what could not be written and tries again, without counting twice", async () => {
    store.failure = new Error("disk full");
    recorder.record(request);
    await recorder.flush();
    recorder.record(request);
    await recorder.flush();
    expect(errors).toEqual([store.failure]);
    store.failure = null;
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1, promptTokens: 10 }], [{ requests: 1 }]]);
  });

  it("counts once what was written without an answer", async () => {
    store.losesAnswers = true;
    recorder.record(request);
    await recorder.flush();
    store.losesAnswers = false;
    recorder.record(request);
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
  });

  it("asks the store to remember one batch at a time, and none after closing", async () => {
    for (let i = 0; i < 5; i++) {
      recorder.record(request);
      await recorder.flush();
      expect(store.ids.size).toBe(1);
    }
    await recorder.close();
    expect(store.ids.size).toBe(0);
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
    expect(store.written).toMatchObject([[{ accountId: "acc_2", requests: 1 }]]);
    recorder.record({ ...request, accountId: "acc_2" });
    recorder.forgetAccount("acc_1");
    recorder.record({ ...request, accountId: "acc_2" });
    await recorder.flush();
    expect(store.written[1]).toMatchObject([{ accountId: "acc_2", requests: 2 }]);
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

    it("is not changed by requests that end while it is read", async () => {
      recorder.record(request);
      recorder.recordDay(day);
      await recorder.reading("acc_1", async (held, days) => {
        const before = structuredClone([held, days]);
        recorder.record(request);
        recorder.recordDay(day);
        expect([held, days]).toEqual(before);
      });
      await recorder.reading("acc_1", async (held, days) => {
        expect(held).toMatchObject([{ requests: 2, firstTokens: [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0] }]);
        expect(days).toEqual([{ ...day, requests: 2, tokens: 30 }]);
      });
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
    expect(left).toEqual([]);
  });

  it("saves what it could not write for the next start, which counts it once", async () => {
    store.losesAnswers = true;
    recorder.record(request);
    await recorder.flush();
    [store.losesAnswers, store.failure] = [false, new Error("unreachable")];
    recorder.record(request);
    await recorder.close();
    const counts = { requests: 2, promptTokens: 20, completionTokens: 10 };
    expect(left).toEqual([{ outcome: "saved", ...counts }]);

    store.failure = null;
    recorder = open();
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
    expect(spill.saved).toEqual([]);
  });

  it("counts once what was written before a crash that left it saved", async () => {
    store.failure = new Error("unreachable");
    recorder.record(request);
    await recorder.close();
    store.failure = null;
    const { saved } = spill;
    recorder = open();
    spill.failure = new Error("read-only");
    await recorder.flush();
    recorder.record(request);
    await recorder.flush();

    [spill.failure, spill.saved] = [null, saved];
    recorder = open();
    await recorder.flush();
    expect(store.written).toMatchObject([[{ requests: 1 }], [{ requests: 1 }]]);
  });

  it("says what is lost when it can be neither written nor saved", async () => {
    store.failure = new Error("unreachable");
    spill.failure = new Error("disk full");
    recorder.record(request);
    recorder.record({ ...request, accountId: "acc_2" });
    await recorder.close();
    const counts = { requests: 2, promptTokens: 20, completionTokens: 10 };
    expect(left).toEqual([{ outcome: "lost", ...counts }]);
  });

  it("saves what is being written when the process must end now", async () => {
    let answer = (): void => undefined;
    vi.spyOn(store, "add").mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    recorder.record(request);
    const flushed = recorder.flush();
    recorder.record(request);
    recorder.spill();
    expect(spill.saved.flatMap(({ rows }) => rows)).toMatchObject([{ requests: 1 }, { requests: 1 }]);
    answer();
    await flushed;
  });
});
