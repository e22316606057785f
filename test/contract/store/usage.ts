/** The promises of `UsageStore`. */
import { expect, it } from "vitest";
import type { UsageBucketRow } from "../../../src/core/usage/ports.js";
import { noFirstTokens } from "../../../src/core/usage/first-tokens.js";
import { at, describeWithStore, usageBucket as bucket, type OpenStore } from "./dashboard-store.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const wholeDay = { from: new Date("2030-01-01T00:00:00Z"), to: new Date("2030-01-02T00:00:00Z") };

export function describeUsageContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps usage`, open, (opened) => {
    it("returns the added usage", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      const row = bucket(id);
      await usage.add([row]);
      expect(await usage.read({ accountId: id, ...wholeDay }, hourMs)).toEqual([row]);
    });

    it("adds a batch once, however often it is tried, until it may be forgotten", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      const requests = async () =>
        (await usage.readByKey({ accountId: id, ...wholeDay })).map((row) => row.requests);
      for (let i = 0; i < 3; i++) await usage.add([bucket(id)], { id: "one", done: [] });
      expect(await requests()).toEqual([2]);
      await usage.add([bucket(id)], { id: "two", done: ["one"] });
      await usage.add([bucket(id)], { id: "two", done: ["one"] });
      expect(await requests()).toEqual([4]);
      await usage.forgetBatches(["two"]);
      await usage.forgetBatches([]);
      await usage.add([bucket(id)], { id: "one", done: [] });
      await usage.add([bucket(id)], { id: "two", done: [] });
      expect(await requests()).toEqual([8]);
    });

    it("adds to a bucket that is there, also many times at once", async () => {
      const { id } = await opened.createAccount();
      await Promise.all(
        Array.from({ length: 20 }, () =>
          opened.store.usage.add([bucket(id), bucket(id, { keyId: "playground" })]),
        ),
      );
      const rows = await opened.store.usage.read({ accountId: id, ...wholeDay }, hourMs);
      expect(rows.map((row) => row.keyId).sort()).toEqual(["key_1", "playground"]);
      for (const row of rows) {
        expect(row).toMatchObject({
          requests: 40,
          errors: 20,
          promptTokens: 600,
          completionTokens: 80,
          rateLimited: 60,
          unavailable: 20,
          firstTokenMs: 600_200,
          firstTokens: noFirstTokens.with(0, 20).with(10, 20),
          firstTokenMinMs: 10,
          firstTokenMaxMs: 30_000,
        });
      }
    });

    it("keeps the shortest and the longest time, whichever came first, and none where there was none", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      const times = [
        [null, null],
        [40, 90],
        [null, null],
        [30, 80],
        [50, 95],
      ] as const;
      for (const [firstTokenMinMs, firstTokenMaxMs] of times) {
        await usage.add([
          bucket(id, { firstTokenMinMs, firstTokenMaxMs }),
          bucket(id, { start: at("09:00:00"), firstTokenMinMs: null, firstTokenMaxMs: null }),
        ]);
      }
      await usage.add([bucket(id, { keyId: "key_2", firstTokenMinMs: 20, firstTokenMaxMs: 60 })]);
      const filter = { accountId: id, ...wholeDay };
      expect(await usage.readByTime(filter, hourMs)).toMatchObject([
        { firstTokenMinMs: 20, firstTokenMaxMs: 95 },
        { firstTokenMinMs: null, firstTokenMaxMs: null },
      ]);
      expect(await usage.readByTime(filter, dayMs)).toMatchObject([
        { firstTokenMinMs: 20, firstTokenMaxMs: 95 },
      ]);
    });

    it("keeps what has no model apart from what has one", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      const refused = bucket(id, { model: null, requests: 0 });
      await usage.add([refused, bucket(id)]);
      const filter = { accountId: id, ...wholeDay };
      expect(await usage.read({ ...filter, model: "omega" }, hourMs)).toEqual([bucket(id)]);
      const models = (await usage.read(filter, hourMs)).map(({ model }) => model);
      expect(new Set(models)).toEqual(new Set(["omega", null]));
      expect(await usage.readByModel(filter)).toContainEqual({
        ...{ model: null, requests: 0, refused: 4, tokens: 34 },
      });
      expect(await usage.readByTime(filter, dayMs)).toMatchObject([{ requests: 2, rateLimited: 6 }]);
    });

    it("sums up by day, and keeps keys and models apart", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      await usage.add([
        bucket(id, { start: at("00:00:00") }),
        bucket(id, { start: at("23:00:00") }),
        bucket(id, { start: at("05:00:00"), model: "prism" }),
        bucket(id, { start: new Date("2030-01-02T00:00:00Z") }),
      ]);
      const rows = await usage.read(
        { accountId: id, from: wholeDay.from, to: new Date("2030-01-03T00:00:00Z") },
        dayMs,
      );
      expect(
        rows.map((row) => [row.start.toISOString().slice(0, 10), row.model, row.requests]).sort(),
      ).toEqual([
        ["2030-01-01", "omega", 4],
        ["2030-01-01", "prism", 2],
        ["2030-01-02", "omega", 2],
      ]);
    });

    it("reads from the first time up to but without the last, of one account, key and model", async () => {
      const { usage } = opened.store;
      const [mine, theirs] = [await opened.createAccount(), await opened.createAccount()];
      await usage.add([
        bucket(mine.id),
        bucket(mine.id, { start: at("09:00:00") }),
        bucket(mine.id, { start: at("10:00:00") }),
        bucket(mine.id, { keyId: "key_2" }),
        bucket(mine.id, { model: "lambda" }),
        bucket(theirs.id),
      ]);
      const filter = { accountId: mine.id, from: at("08:00:00"), to: at("10:00:00") };
      expect(await usage.read(filter, hourMs)).toHaveLength(4);
      expect(await usage.read({ ...filter, keyId: "key_2" }, hourMs)).toHaveLength(1);
      expect(await usage.read({ ...filter, model: "lambda" }, hourMs)).toHaveLength(1);
      expect(await usage.read({ ...filter, accountId: theirs.id }, hourMs)).toHaveLength(1);
    });

    it("sums up by step alone, and by key and model alone", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      await usage.add([
        bucket(id),
        bucket(id, { keyId: "key_2" }),
        bucket(id, { start: at("09:00:00") }),
        bucket(id, { start: at("09:00:00"), model: "prism", requests: 7 }),
      ]);
      const filter = { accountId: id, ...wholeDay };
      expect(await usage.readByTime(filter, hourMs)).toMatchObject([
        { start: at("08:00:00"), requests: 4, firstTokens: noFirstTokens.with(0, 2).with(10, 2) },
        { start: at("09:00:00"), requests: 9 },
      ]);
      expect(await usage.readByTime({ ...filter, model: "prism" }, dayMs)).toMatchObject([
        { start: wholeDay.from, requests: 7 },
      ]);
      expect(await usage.readByKey(filter)).toEqual([
        { keyId: "key_1", requests: 11, refused: 12, tokens: 102 },
        { keyId: "key_2", requests: 2, refused: 4, tokens: 34 },
      ]);
      expect(await usage.readByKey({ ...filter, keyId: "key_2" })).toHaveLength(1);
      expect(await usage.readByModel(filter)).toEqual([
        { model: "omega", requests: 6, refused: 12, tokens: 102 },
        { model: "prism", requests: 7, refused: 4, tokens: 34 },
      ]);
      expect(await usage.readByModel({ ...filter, keyId: "key_2" })).toMatchObject([{ model: "omega" }]);
    });

    it("has the same sums by the day as by the hour, wherever a period begins and ends", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      const first = wholeDay.from.getTime();
      const hours = Array.from({ length: 4 * 24 }, (_, hour) =>
        bucket(id, {
          start: new Date(first + hour * hourMs),
          keyId: `key_${hour % 3}`,
          model: hour % 5 === 0 ? "prism" : "omega",
          requests: 1 + hour,
        }),
      );
      await usage.add(hours.slice(0, 50));
      await usage.add(hours.slice(50));
      for (const [from, to] of [
        [0, 96],
        [0, 24],
        [5, 20],
        [5, 30],
        [5, 91],
        [24, 75],
        [30, 48],
        [23, 25],
      ] as const) {
        const filter = {
          accountId: id,
          from: new Date(first + from * hourMs),
          to: new Date(first + to * hourMs),
        };
        for (const narrowed of [{}, { keyId: "key_1" }, { model: "prism" } as const]) {
          const asked = { ...filter, ...narrowed };
          const lines = await usage.read(asked, hourMs);
          const sum = (rows: { requests: number }[]) => rows.reduce((all, row) => all + row.requests, 0);
          expect(sum(lines)).toBe(
            sum(
              hours
                .slice(from, to)
                .filter((row) => !("keyId" in narrowed) || row.keyId === narrowed.keyId)
                .filter((row) => !("model" in narrowed) || row.model === narrowed.model),
            ),
          );
          expect(sum(await usage.readByKey(asked))).toBe(sum(lines));
          expect(sum(await usage.readByModel(asked))).toBe(sum(lines));
          expect(sum(await usage.readByTime(asked, dayMs))).toBe(sum(lines));
          const tokens = (rows: { tokens: number }[]) => rows.reduce((all, row) => all + row.tokens, 0);
          expect(tokens(await usage.readByKey(asked))).toBe(34 * lines.length);
          expect(tokens(await usage.readByModel(asked))).toBe(34 * lines.length);
        }
      }
    });

    it("has the same sums over months as hour by hour, also after old ones are removed", async () => {
      const { usage } = opened.store;
      const { id: accountId } = await opened.createAccount();
      const first = wholeDay.from.getTime();
      const atDay = (day: number) => new Date(first + day * dayMs);
      const rows = Array.from({ length: 130 }, (_, day) =>
        bucket(accountId, {
          start: new Date(first + day * dayMs + (day % 24) * hourMs),
          keyId: `key_${day % 3}`,
          model: day % 5 === 0 ? "prism" : "omega",
          requests: 1 + day,
        }),
      );
      await usage.add(rows.slice(0, 70));
      await usage.add(rows.slice(70));
      const byHand = (
        of: (row: UsageBucketRow) => string | null,
        wanted: (row: UsageBucketRow) => boolean,
      ) => {
        const sums = new Map<string | null, number>();
        for (const row of rows.filter(wanted)) sums.set(of(row), (sums.get(of(row)) ?? 0) + row.requests);
        return sums;
      };
      for (const removed of [0, 7, 40, 41, 75]) {
        await usage.prune(atDay(removed));
        for (const [from, to] of [
          [0, 130],
          [1, 129],
          [0.5, 100.25],
          [20, 85],
          [40, 104],
          [44, 109],
        ] as const) {
          for (const narrowed of [{}, { keyId: "key_1" }, { model: "prism" } as const]) {
            const filter = { accountId, from: atDay(from), to: atDay(to), ...narrowed };
            const isWanted = (row: UsageBucketRow) =>
              row.start >= filter.from &&
              row.start < filter.to &&
              row.start >= atDay(removed) &&
              (!("keyId" in narrowed) || row.keyId === narrowed.keyId) &&
              (!("model" in narrowed) || row.model === narrowed.model);
            const keys = await usage.readByKey(filter);
            expect(new Map(keys.map((row) => [row.keyId, row.requests]))).toEqual(
              byHand((row) => row.keyId, isWanted),
            );
            const models = await usage.readByModel(filter);
            expect(new Map(models.map((row) => [row.model, row.requests]))).toEqual(
              byHand((row) => row.model, isWanted),
            );
          }
        }
      }
      expect(await opened.store.stored.read(accountId, "key_spans", null, 100)).toMatchObject({
        rows: expect.not.arrayContaining([
          expect.objectContaining({ span: atDay(0).toISOString() }),
        ]) as unknown,
      });
    });

    it("leaves out accounts that do not exist, and writes the rest", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      await usage.add([bucket("acc_gone"), bucket(id)]);
      await usage.add([bucket("acc_gone")]);
      await usage.add([]);
      expect(await usage.read({ accountId: id, ...wholeDay }, hourMs)).toHaveLength(1);
      expect(await usage.read({ accountId: "acc_gone", ...wholeDay }, hourMs)).toEqual([]);
    });

    it("takes thousands of buckets at once", async () => {
      const { usage } = opened.store;
      const { id } = await opened.createAccount();
      await usage.add(Array.from({ length: 3_000 }, (_, i) => bucket(id, { keyId: `key_${i}` })));
      expect(await usage.read({ accountId: id, ...wholeDay }, hourMs)).toHaveLength(3_000);
    });

    it("goes with its account, and when it is old enough", async () => {
      const { store } = opened;
      const [mine, theirs] = [await opened.createAccount(), await opened.createAccount()];
      await store.usage.add([
        bucket(mine.id),
        bucket(theirs.id),
        bucket(theirs.id, { start: at("09:00:00") }),
      ]);
      await store.deleteAccount(mine.id);
      expect(await store.usage.read({ accountId: mine.id, ...wholeDay }, hourMs)).toEqual([]);
      await store.usage.prune(at("09:00:00"));
      const left = await store.usage.read({ accountId: theirs.id, ...wholeDay }, hourMs);
      expect(left.map((row) => row.start)).toEqual([at("09:00:00")]);
      // Sums of a day that began before are gone with its first hours.
      for (const { id } of [mine, theirs]) {
        for (const table of ["account_days", "key_days", "key_spans"]) {
          expect(await store.stored.read(id, table, null, 10)).toMatchObject({ rows: [] });
        }
      }
    });
  });
}
