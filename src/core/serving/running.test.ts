import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiKey, KeyRecord } from "../entities.js";
import { ServiceError } from "../errors.js";
import { type Run, Running } from "./running.js";
import { callerWith } from "../../../test/support/clients/caller.js";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";

let clock: FakeClock;
let reread: ReturnType<typeof vi.fn<(caller: KeyRecord) => Promise<KeyRecord | null>>>;
let running: Running;
beforeEach(() => {
  vi.useFakeTimers();
  clock = new FakeClock();
  reread = vi.fn<(caller: KeyRecord) => Promise<KeyRecord | null>>(async (caller) => caller);
  running = new Running({ clock, reread });
  clock.advance(1);
});
afterEach(() => {
  vi.useRealTimers();
});

const caller = (key: Partial<ApiKey> = {}): KeyRecord => {
  const record = callerWith();
  return { ...record, key: { ...record.key, ...key } };
};
const enter = (who: KeyRecord, verifiedMs = clock.monotonicMs()): Run =>
  running.enter(who, "omega", new AbortController().signal, verifiedMs);
const after = (ms: number): Date => new Date(clock.now().getTime() + ms);
const pass = async (ms: number): Promise<void> => {
  clock.advance(ms);
  await vi.advanceTimersByTimeAsync(ms);
};
const codeOf = ({ signal }: Run): string | null =>
  signal.reason instanceof ServiceError ? signal.reason.code : null;

describe("a run", () => {
  it("ends at the moment its key does, each for itself", async () => {
    const [soon, later, never] = [
      enter(caller({ id: "a", expiresAt: after(200) })),
      enter(caller({ id: "b", revokedAt: after(5_000) })),
      enter(caller({ id: "c" })),
    ];
    await pass(199);
    expect([soon, later, never].map(codeOf)).toEqual([null, null, null]);
    await pass(1);
    expect([soon, later, never].map(codeOf)).toEqual(["invalid_api_key", null, null]);
    await pass(4_800);
    expect([soon, later, never].map(codeOf)).toEqual(["invalid_api_key", "invalid_api_key", null]);
  });

  it("ends within a second when the clock is set forward", async () => {
    const run = enter(caller({ expiresAt: after(3_600_000) }));
    clock.advance(3_600_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(codeOf(run)).toBe("invalid_api_key");
  });

  it("leaves no timer behind", () => {
    const runs = [enter(caller({ expiresAt: after(200) })), enter(caller({ expiresAt: after(100) }))];
    expect(vi.getTimerCount()).toBe(1);
    for (const run of runs) run.leave();
    expect(vi.getTimerCount()).toBe(0);
    expect(running.size).toBe(0);
  });

  it("follows a time of ending that was set meanwhile", async () => {
    const run = enter(caller());
    const revokedAt = after(500);
    reread.mockResolvedValue(caller({ revokedAt }));
    running.review({ keyId: "key_1" });
    await pass(499);
    expect(codeOf(run)).toBeNull();
    await pass(1);
    expect(codeOf(run)).toBe("invalid_api_key");
  });

  it("ends when its caller is gone or lost the model, with what a new request is told", async () => {
    const [gone, narrowed, other] = [
      enter(caller({ id: "a" })),
      enter(caller({ id: "b" })),
      enter(caller({ id: "c" })),
    ];
    reread.mockImplementation(async (who) =>
      who.key.id === "a" ? null : who.key.id === "b" ? caller({ id: "b", models: ["prism"] }) : who,
    );
    running.review("all");
    await pass(0);
    expect([gone, narrowed, other].map(codeOf)).toEqual([
      "invalid_api_key",
      "insufficient_permissions",
      null,
    ]);
  });

  it("is read once for all runs of a caller", async () => {
    for (let i = 0; i < 20; i++) enter(caller({ id: `key_${i % 5}` }));
    running.review("all");
    await pass(0);
    expect(reread).toHaveBeenCalledTimes(5);
  });

  it("is reviewed when something changed since its caller was verified", async () => {
    const verifiedMs = clock.monotonicMs();
    await pass(10);
    running.cut({ keyId: "key_1" });
    await pass(10);
    reread.mockResolvedValue(null);
    const [late, fresh] = [enter(caller(), verifiedMs), enter(caller({ id: "fresh" }))];
    await pass(0);
    expect([late, fresh].map(codeOf)).toEqual(["invalid_api_key", null]);
    expect(reread).toHaveBeenCalledOnce();
  });

  it("goes on while the store cannot be asked, and is reviewed when it can", async () => {
    const run = enter(caller());
    reread.mockRejectedValueOnce(new Error("gone")).mockRejectedValueOnce(new Error("gone"));
    running.review({ accountId: "acc_1" });
    await pass(1_000);
    expect(codeOf(run)).toBeNull();
    reread.mockResolvedValue(null);
    await pass(1_000);
    expect(codeOf(run)).toBe("invalid_api_key");
  });

  it("that stands on a session is read again at its end: one that is in use goes on", async () => {
    const session = { hash: new Uint8Array(32) };
    const run = enter({ ...caller({ expiresAt: after(500) }), session });
    const extended = { ...caller({ expiresAt: after(900) }), session };
    reread.mockResolvedValueOnce(extended).mockRejectedValueOnce(new Error("gone"));
    await pass(500);
    expect(codeOf(run)).toBeNull();
    await pass(400);
    expect(codeOf(run)).toBe("invalid_api_key");
  });
});
