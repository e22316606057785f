import { describe, expect, it } from "vitest";
import { callerWith } from "../../../test/support/clients/caller.js";
import { memoryLimits } from "../../../test/support/stores/memory-limits.js";
import { ServiceError } from "../errors.js";
import type { ReadRates } from "./admission.js";
import type { Limits } from "./limits.js";
import type { Clock } from "../clock.js";
import { noKeyLimits, type KeyRecord } from "../entities.js";

function setup() {
  let nowMs = 0;
  let wallMs = 1_000_000;
  const clock: Clock = { now: () => new Date(wallMs), monotonicMs: () => nowMs };
  const limits = memoryLimits(clock);
  return {
    limits,
    ...stepsOf(limits),
    pass: (ms: number) => {
      nowMs += ms;
      wallMs += ms;
    },
    jumpWallClock: (ms: number) => {
      wallMs += ms;
    },
  };
}

const isCounted = true;

/** Each of these is a request of its own. */
function stepsOf(limits: Limits) {
  return {
    countRequest: async (caller: KeyRecord) => {
      let rates: Partial<ReadRates> = {};
      const admission = limits.enter(caller, { onRates: (read) => (rates = read) });
      return { refusal: await admission.count(), rates };
    },
    /** Takes a lease, and looks whether tokens are left. */
    hold: async (caller: KeyRecord) => {
      const admission = limits.enter(caller, { isCounted });
      await admission.hold({ isLong: () => false });
      return admission;
    },
    reserve: async (caller: KeyRecord, amount: number, promptTokens?: number) => {
      let rates: Partial<ReadRates> = {};
      const roomy = { ...caller, plan: { ...caller.plan, concurrentRequests: 100 } };
      const admission = limits.enter(roomy, { isCounted, onRates: (read) => (rates = read) });
      await admission.reserve(amount, promptTokens);
      return { remaining: rates.tokens?.remaining, settle: (used: number) => admission.settle(used) };
    },
  };
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof ServiceError ? error : null),
  );

describe("limits", () => {
  it("admits exactly the limit of a parallel burst of requests", async () => {
    const { countRequest } = setup();
    const caller = callerWith({ requestsPerMinute: 10 });
    const results = await Promise.all(Array.from({ length: 50 }, () => countRequest(caller)));
    expect(results.filter(({ refusal }) => refusal === null)).toHaveLength(10);
    expect(results.at(-1)?.refusal?.message).toMatch(/10 requests per minute.*Try again in 60 s/);
    expect(results.at(-1)?.rates.requests).toEqual({ limit: 10, remaining: 0, resetMs: 60_000 });
  });

  it("opens again after one window, also when the wall clock jumps", async () => {
    const { countRequest, pass, jumpWallClock } = setup();
    const caller = callerWith({ requestsPerMinute: 1 });
    await countRequest(caller);
    jumpWallClock(3_600_000);
    expect((await countRequest(caller)).refusal).not.toBeNull();
    jumpWallClock(-7_200_000);
    pass(60_001);
    expect((await countRequest(caller)).refusal).toBeNull();
  });

  it("never reserves more tokens than the limit, and gives back what was not used", async () => {
    const { reserve } = setup();
    const caller = callerWith({ tokensPerMinute: 1000 });
    const first = await reserve(caller, 900);
    expect(await refusalOf(reserve(caller, 200))).toMatchObject({ code: "rate_limit_exceeded" });
    await first.settle(100);
    const second = await reserve(caller, 900);
    expect(second.remaining).toBe(0);
  });

  it("does not credit a new window with what an old one reserved", async () => {
    const { reserve, pass } = setup();
    const caller = callerWith({ tokensPerMinute: 1000 });
    const old = await reserve(caller, 1000);
    pass(60_001);
    await reserve(caller, 1000);
    await old.settle(0);
    expect(await refusalOf(reserve(caller, 1))).not.toBeNull();
  });

  it("says that a request larger than the whole limit can never be admitted, and counts nothing", async () => {
    const { reserve } = setup();
    const caller = callerWith({ tokensPerMinute: 1000 });
    expect(await refusalOf(reserve(caller, 1001, 400))).toMatchObject({
      code: "request_exceeds_limit",
      status: 400,
      param: "max_tokens",
      retryAfterSeconds: undefined,
      message:
        "This request needs up to 1001 tokens, 400 of them for its prompt. The limit is 1000 tokens per minute on the plan 'Small', so it can never be admitted. Lower max_tokens or n, or shorten the messages.",
    });
    expect(await refusalOf(reserve(caller, 1500, 1000))).toMatchObject({ param: "messages" });
    expect((await reserve(caller, 1000)).remaining).toBe(0);
  });

  it("refuses before any work when no token is left", async () => {
    const { hold, reserve } = setup();
    const caller = callerWith({ tokensPerMinute: 10 });
    await (await hold(caller)).settle(0);
    await reserve(caller, 10);
    expect(await refusalOf(hold(caller))).toMatchObject({ code: "rate_limit_exceeded" });
  });

  it("holds concurrency to the limit and frees a lease once", async () => {
    const { hold } = setup();
    const caller = callerWith({ concurrentRequests: 2 });
    const lease = await hold(caller);
    await hold(caller);
    expect((await refusalOf(hold(caller)))?.message).toMatch(/2 concurrent requests/);
    await lease.settle(0);
    await lease.settle(0);
    await hold(caller);
    expect(await refusalOf(hold(caller))).not.toBeNull();
  });
});

describe("a key's own limits", () => {
  it("hold below the plan's, and say scopeLabel they are", async () => {
    const { limits, countRequest } = setup();
    const caller = callerWith({ requestsPerMinute: 10 }, { requestsPerMinute: 2 });
    const results = await Promise.all(Array.from({ length: 5 }, () => countRequest(caller)));
    expect(results.filter(({ refusal }) => refusal === null)).toHaveLength(2);
    expect(results.at(-1)?.refusal?.message).toContain("2 requests per minute on this key");
    expect(results.at(-1)?.rates.requests).toMatchObject({ limit: 2, remaining: 0 });
    // What the key refused did not count for the account.
    expect((await limits.read(caller)).requests.remaining).toBe(8);
  });

  it("leave the rest of the plan to the account's other keys", async () => {
    const { reserve } = setup();
    const test = callerWith({ tokensPerMinute: 1000 }, { tokensPerMinute: 100 });
    const production = callerWith({ tokensPerMinute: 1000 });
    await reserve(test, 100);
    expect(await refusalOf(reserve(test, 1))).toMatchObject({ code: "rate_limit_exceeded" });
    expect((await reserve(production, 900)).remaining).toBe(0);
  });

  it("give back what they counted when the plan refuses", async () => {
    const { reserve } = setup();
    const limited = callerWith({ tokensPerMinute: 150 }, { tokensPerMinute: 100 });
    const first = await reserve(callerWith({ tokensPerMinute: 150 }), 100);
    expect(await refusalOf(reserve(limited, 60))).toMatchObject({
      message: expect.stringContaining("150 tokens per minute on the plan 'Small'") as unknown,
    });
    await first.settle(0);
    await reserve(limited, 100);
  });

  it("are named when a request is larger than the whole of them", async () => {
    const { reserve } = setup();
    const limited = callerWith({ tokensPerMinute: 1000 }, { tokensPerMinute: 100 });
    expect(await refusalOf(reserve(limited, 101))).toMatchObject({
      code: "request_exceeds_limit",
      message: expect.stringContaining("100 tokens per minute on this key") as unknown,
    });
    const roomy = callerWith({ tokensPerMinute: 100 }, { tokensPerMinute: 1000 });
    expect(await refusalOf(reserve(roomy, 101))).toMatchObject({
      message: expect.stringContaining("100 tokens per minute on the plan 'Small'") as unknown,
    });
  });

  it("bound what runs at once, and free both leases", async () => {
    const { limits, hold } = setup();
    const limited = callerWith({ concurrentRequests: 3 }, { concurrentRequests: 1 });
    const lease = await hold(limited);
    expect(await refusalOf(hold(limited))).toMatchObject({
      message: expect.stringContaining("1 concurrent request on this key") as unknown,
    });
    expect((await limits.read(limited)).held).toBe(1);
    await lease.settle(0);
    expect((await limits.read(limited)).held).toBe(0);
    await (await hold(limited)).settle(0);
  });
});

describe("the limits of a team", () => {
  const caller = callerWith({ requestsPerMinute: 4 }, { requestsPerMinute: 9 });
  const inTeam = (memberId: string, keyId: string, requestsPerMinute: number): KeyRecord => ({
    ...caller,
    account: { ...caller.account, id: "team_1", kind: "team", email: "Research" },
    key: { ...caller.key, id: keyId, lineage: keyId },
    member: { id: memberId, suspendedAt: null, limits: { ...noKeyLimits, requestsPerMinute } },
  });

  it("come after the key's and the member's, and each says whose it is", async () => {
    const { countRequest, limits } = setup();
    const [ada, bob] = [inTeam("acc_ada", "key_1", 2), inTeam("acc_bob", "key_2", 5)];
    for (let i = 0; i < 2; i++) expect((await countRequest(ada)).refusal).toBeNull();
    const byMember = await countRequest(inTeam("acc_ada", "key_3", 2));
    expect(byMember.refusal?.message).toContain(
      "2 requests per minute on this member of the team 'Research'",
    );
    for (let i = 0; i < 2; i++) expect((await countRequest(bob)).refusal).toBeNull();
    const byTeam = await countRequest(bob);
    expect(byTeam.refusal?.message).toContain("4 requests per minute on the team 'Research'");
    expect(byTeam.rates.requests).toMatchObject({ limit: 4, remaining: 0 });
    const scopes = (await limits.readings(bob)).filter(({ name }) => name === "requests_per_minute");
    expect(scopes.map(({ scope, remaining }) => [scope, remaining])).toEqual([
      ["key", 7],
      ["member", 3],
      ["team", 0],
    ]);
  });
});
