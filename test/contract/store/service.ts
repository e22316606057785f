/** The promises of `ServiceStore`: sums over all accounts, outcomes, facts for the checklist. */
import { expect, it } from "vitest";
import type { UsageBucketRow } from "../../../src/core/usage/ports.js";
import type { Outcomes } from "../../../src/core/admin/ports.js";
import { noFirstTokens } from "../../../src/core/usage/first-tokens.js";
import { at, describeWithStore, usageBucket, type OpenStore } from "./dashboard-store.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const wholeDay = { from: new Date("2030-01-01T00:00:00Z"), to: new Date("2030-01-02T00:00:00Z") };

const bucket = (accountId: string, row: Partial<UsageBucketRow> = {}): UsageBucketRow =>
  usageBucket(accountId, {
    keyId: "playground",
    firstTokenMs: 250,
    firstTokens: noFirstTokens.with(3, 1),
    firstTokenMinMs: 250,
    firstTokenMaxMs: 250,
    ...row,
  });

const outcome = (row: Partial<Outcomes> = {}): Outcomes => ({
  start: at("08:00:00"),
  model: "omega",
  code: "none",
  requests: 1,
  ...row,
});

export function describeServiceContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} sums up the whole service`, open, (opened) => {
    it("adds up what all accounts used, by time and by model, each batch once", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const rows = [
        bucket(ada.id),
        bucket(bob.id, { requests: 5, firstTokenMinMs: 100, firstTokenMaxMs: 900 }),
        bucket(bob.id, { model: "prism", firstTokenMinMs: null, firstTokenMaxMs: null }),
        bucket(bob.id, { model: null, start: at("23:00:00"), requests: 0 }),
        bucket("acc_gone"),
      ];
      for (let time = 0; time < 2; time++) await store.usage.add(rows, { id: "one", done: [] });
      await store.usage.add([bucket(ada.id)]);
      const byTime = await store.service.usage.readByTime(wholeDay, hourMs);
      expect(byTime).toMatchObject([
        {
          start: at("08:00:00"),
          requests: 2 + 5 + 2 + 2,
          errors: 4,
          rateLimited: 12,
          unavailable: 4,
          promptTokens: 120,
          completionTokens: 16,
          firstTokens: noFirstTokens.with(3, 4),
          firstTokenMinMs: 100,
          firstTokenMaxMs: 900,
        },
        { start: at("23:00:00"), requests: 0, rateLimited: 3 },
      ]);
      expect(await store.service.usage.readByTime({ ...wholeDay, model: "prism" }, dayMs)).toMatchObject([
        { start: wholeDay.from, requests: 2, firstTokenMinMs: null },
      ]);
      const byModel = await store.service.usage.readByModel(wholeDay);
      expect(new Map(byModel.map(({ model, requests }) => [model, requests]))).toEqual(
        new Map([
          ["omega", 9],
          ["prism", 2],
          [null, 0],
        ]),
      );
    });

    it("finds the hours in which an account reached a count, over all keys and models", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      await store.usage.add([
        bucket(ada.id, { start: at("07:00:00"), requests: 100 }),
        bucket(ada.id, { requests: 6 }),
        bucket(ada.id, { requests: 6, keyId: "key_1", model: "prism" }),
        bucket(bob.id, { requests: 9, errors: 0 }),
        bucket(bob.id, { start: at("09:00:00"), requests: 0, rateLimited: 50, errors: 0 }),
      ]);
      const least = { requests: 10, tokens: 1_000, refusals: 20, errors: 20 };
      const found = await store.service.usage.busyHours(
        { from: at("08:00:00"), to: at("10:00:00") },
        least,
        10,
      );
      expect(found).toEqual([
        { accountId: bob.id, start: at("09:00:00"), requests: 0, tokens: 34, refusals: 50, errors: 0 },
        { accountId: ada.id, start: at("08:00:00"), requests: 12, tokens: 68, refusals: 6, errors: 2 },
      ]);
      expect(
        await store.service.usage.busyHours({ from: at("08:00:00"), to: at("10:00:00") }, least, 1),
      ).toEqual(found.slice(0, 1));
      await store.deleteAccount(bob.id);
      expect(
        await store.service.usage.busyHours({ from: at("09:00:00"), to: at("10:00:00") }, least, 10),
      ).toEqual([]);
    });

    it("keeps the sums when many add to them at once, and when an account is deleted", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          store.usage.add(i % 2 === 0 ? [bucket(ada.id), bucket(bob.id)] : [bucket(bob.id), bucket(ada.id)]),
        ),
      );
      await store.deleteAccount(ada.id);
      expect(await store.service.usage.readByTime(wholeDay, hourMs)).toMatchObject([{ requests: 40 }]);
    });

    it("ranks accounts and keys by requests or by tokens, with their names", async () => {
      const { store } = opened;
      const [ada, bob, cid] = [
        await opened.createAccount({ email: "ada@example.com" }),
        await opened.createAccount({ email: "bob@example.com" }),
        await opened.createAccount({ email: "cid@example.com" }),
      ];
      const key = await opened.createKey(bob.id);
      await store.usage.add([
        bucket(ada.id, { requests: 9, promptTokens: 1, completionTokens: 1 }),
        bucket(bob.id, { keyId: key.id, requests: 4, promptTokens: 500, completionTokens: 0 }),
        bucket(bob.id, { keyId: key.id, start: at("09:00:00"), requests: 1, promptTokens: 10 }),
        bucket(bob.id, { keyId: "key_gone", requests: 2, promptTokens: 20 }),
        bucket(cid.id, { requests: 100, start: new Date("2030-01-02T00:00:00Z") }),
        bucket(cid.id, { requests: 1, model: "prism", promptTokens: 900 }),
      ]);
      type Query = Parameters<typeof store.service.usage.top>;
      const top = async (filter: Query[0], by: "account" | "key", measure: Query[1], limit: number) => {
        const { accounts, keys } = await store.service.usage.top(filter, measure, limit);
        return (by === "account" ? accounts : keys).map((one) => [
          one.email,
          one.key?.name ?? one.keyId,
          one.requests,
          one.tokens,
        ]);
      };
      expect(await top(wholeDay, "account", "requests", 2)).toEqual([
        ["ada@example.com", null, 9, 2],
        ["bob@example.com", null, 7, 538],
      ]);
      expect(await top(wholeDay, "account", "tokens", 9)).toEqual([
        ["cid@example.com", null, 1, 904],
        ["bob@example.com", null, 7, 538],
        ["ada@example.com", null, 9, 2],
      ]);
      expect(await top({ ...wholeDay, model: "omega" }, "key", "tokens", 2)).toEqual([
        ["bob@example.com", "laptop", 5, 514],
        ["bob@example.com", "key_gone", 2, 24],
      ]);
      expect(await top({ ...wholeDay, accountId: ada.id }, "key", "tokens", 9)).toEqual([
        ["ada@example.com", "playground", 9, 2],
      ]);
      const {
        accounts: [first],
      } = await store.service.usage.top(wholeDay, "requests", 1);
      expect(first).toMatchObject({ accountId: ada.id, keyId: null, errors: 1, refused: 4 });
    });

    it("ranks over ranges longer than one batch", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      const from = new Date("2030-01-01T05:00:00Z");
      const rows = Array.from({ length: 100 }, (_, i) =>
        bucket(id, { start: new Date(from.getTime() + i * hourMs), requests: 1 }),
      );
      await store.usage.add(rows);
      const range = { from, to: new Date(from.getTime() + 100 * hourMs) };
      const { accounts, keys } = await store.service.usage.top(range, "requests", 9);
      expect([accounts, keys]).toMatchObject([[{ requests: 100 }], [{ requests: 100, keyId: "playground" }]]);
    });

    it("ranks as adding up by hand does, over any range", async () => {
      const { store } = opened;
      const first = wholeDay.from.getTime();
      const rows: UsageBucketRow[] = [];
      const emails = new Map<string, string>();
      for (let number = 0; number < 12; number++) {
        const { id, email } = await opened.createAccount();
        emails.set(id, email);
        for (let i = 0; i < 25; i++) {
          rows.push(
            bucket(id, {
              start: new Date(first + ((i * 37 + number * 11) % 960) * hourMs),
              keyId: `key_${number}_${i % 3}`,
              model: i % 4 === 0 ? "prism" : "omega",
              requests: (i * 7 + number * 5) % 13,
              promptTokens: (i * 31 + number * 17) % 101,
            }),
          );
        }
      }
      await store.usage.add(rows);
      for (const [from, to] of [
        [0, 960],
        [24, 744],
        [5, 931],
        [100, 110],
      ] as const) {
        for (const measure of ["requests", "tokens"] as const) {
          for (const model of [undefined, "prism"] as const) {
            const filter = {
              from: new Date(first + from * hourMs),
              to: new Date(first + to * hourMs),
              model,
            };
            const found = await store.service.usage.top(filter, measure, 5);
            const wanted = rows.filter(
              (row) =>
                row.start >= filter.from &&
                row.start < filter.to &&
                (model === undefined || row.model === model),
            );
            const value = (row: UsageBucketRow) =>
              measure === "requests" ? row.requests : row.promptTokens + row.completionTokens;
            const largest = (nameOf: (row: UsageBucketRow) => string) => {
              const sums = new Map<string, number>();
              for (const row of wanted) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + value(row));
              return [...sums.values()].sort((a, b) => b - a).slice(0, 5);
            };
            expect(found.accounts.map((one) => one[measure])).toEqual(largest((row) => row.accountId));
            expect(found.keys.map((one) => one[measure])).toEqual(
              largest((row) => `${row.accountId} ${row.keyId}`),
            );
            expect(found.accounts.every((one) => emails.get(one.accountId) === one.email)).toBe(true);
          }
        }
      }
    });

    it("ranks keys of many accounts, also where those with the most have many small ones", async () => {
      const { store } = opened;
      const rows: UsageBucketRow[] = [];
      for (let number = 0; number < 150; number++) {
        const { id } = await opened.createAccount();
        // The first hundred have the most together, and the others the largest keys.
        if (number < 100) {
          for (let key = 0; key < 10; key++)
            rows.push(bucket(id, { keyId: `key_${number}_${key}`, requests: 5 }));
        } else rows.push(bucket(id, { keyId: `key_${number}`, requests: 20 + (number % 7) }));
      }
      await store.usage.add(rows);
      const { accounts, keys } = await store.service.usage.top(wholeDay, "requests", 10);
      expect(accounts.map(({ requests }) => requests)).toEqual(new Array<number>(10).fill(50));
      expect(keys.map(({ requests }) => requests)).toEqual([26, 26, 26, 26, 26, 26, 26, 25, 25, 25]);
    });

    it("gives lines by step, account, key and model", async () => {
      const { store } = opened;
      const ada = await opened.createAccount({ email: "ada@example.com" });
      const bob = await opened.createAccount({ email: "bob@example.com" });
      await store.usage.add([
        bucket(bob.id),
        bucket(ada.id),
        bucket(ada.id, { start: at("09:00:00") }),
        bucket(ada.id, { start: at("09:00:00"), model: "lambda", keyId: "key_1" }),
      ]);
      const lines = await store.service.usage.lines(wholeDay, hourMs);
      expect(lines.map((line) => [line.start, line.email, line.keyId, line.model, line.requests])).toEqual([
        [at("08:00:00"), "ada@example.com", "playground", "omega", 2],
        [at("08:00:00"), "bob@example.com", "playground", "omega", 2],
        [at("09:00:00"), "ada@example.com", "key_1", "lambda", 2],
        [at("09:00:00"), "ada@example.com", "playground", "omega", 2],
      ]);
      const filter = { ...wholeDay, accountId: ada.id, keyId: "playground", model: "omega" } as const;
      expect(await store.service.usage.lines(filter, dayMs)).toMatchObject([
        { start: wholeDay.from, email: "ada@example.com", requests: 4, firstTokenMinMs: 250 },
      ]);
    });

    it("counts outcomes by hour, model and code", async () => {
      const { outcomes } = opened.store.service;
      expect(await outcomes.since()).toBeNull();
      await outcomes.add([outcome(), outcome({ code: "internal_error", requests: 3 })]);
      await Promise.all(
        Array.from({ length: 5 }, () =>
          outcomes.add([outcome({ model: null, code: "overloaded" }), outcome()]),
        ),
      );
      await outcomes.add([
        outcome({ start: at("10:00:00"), model: "prism", requests: 7 }),
        outcome({ start: new Date("2030-01-02T01:00:00Z"), requests: 4 }),
      ]);
      await outcomes.add([]);
      const codes = async (filter = {}) =>
        new Map(
          (await outcomes.readByCode({ ...wholeDay, ...filter })).map(({ code, requests }) => [
            code,
            requests,
          ]),
        );
      expect(await codes()).toEqual(
        new Map([
          ["none", 13],
          ["internal_error", 3],
          ["overloaded", 5],
        ]),
      );
      expect(await codes({ model: "prism" })).toEqual(new Map([["none", 7]]));
      const days = await outcomes.readByDay(wholeDay.from, new Date("2030-01-03T00:00:00Z"));
      expect(days).toHaveLength(5);
      expect(days).toContainEqual({ ...outcome({ requests: 6 }), start: wholeDay.from });
      expect(days.at(-1)?.start).toEqual(wholeDay.to);
      const bad = await outcomes.readHoursWith(["internal_error"], wholeDay.from, wholeDay.to);
      expect(bad).toHaveLength(3);
      expect(bad.every(({ start }) => start.getTime() === at("08:00:00").getTime())).toBe(true);
      expect(await outcomes.since()).toEqual(at("08:00:00"));
      await outcomes.prune(at("10:00:00"));
      expect(await outcomes.since()).toEqual(at("10:00:00"));
    });

    it("removes old sums", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      await store.usage.add([bucket(id), bucket(id, { start: at("09:00:00") })]);
      await store.service.usage.prune(at("09:00:00"));
      expect(await store.service.usage.readByTime(wholeDay, hourMs)).toMatchObject([
        { start: at("09:00:00") },
      ]);
    });

    it("reports whether someone was invited, and which settings are set", async () => {
      const { store } = opened;
      const { facts } = store.service;
      const { id } = await opened.createAccount({ passwordHash: "hash" });
      await store.audit.add({ at: at("08:00:00"), actor: id, action: "signed up", target: id });
      expect(await facts.hasInvited()).toBe(false);
      await store.audit.add({ at: at("08:00:01"), actor: id, action: "created invitation", target: "inv_1" });
      expect(await facts.hasInvited()).toBe(true);
      await store.setSetting("a", "1");
      expect(await facts.settings(["a", "b"])).toEqual(new Map([["a", "1"]]));
    });
  });
}
