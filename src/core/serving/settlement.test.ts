/** Whatever becomes of requests, what the limit has counted is what they used. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callerWith } from "../../../test/support/clients/caller.js";
import { chatRequest } from "../../../test/support/clients/chat-request.js";
import { FakeEngine } from "../../../test/support/engines/fake-engine.js";
import { memoryLimits } from "../../../test/support/stores/memory-limits.js";
import { ServiceError } from "../errors.js";
import { Completions, type CompletionTrace } from "./completion.js";
import { FairQueue } from "./fair-queue.js";
import { systemClock } from "../clock.js";

const limit = 1_000_000;

/** How a request goes: how many words it asks with, how many it is answered with, and how it ends. */
const requestPlan = fc.record({
  words: fc.integer({ min: 1, max: 20 }),
  maxTokens: fc.integer({ min: 1, max: 40 }),
  reply: fc.integer({ min: 0, max: 40 }),
  ending: fc.oneof(
    fc.constant("finishes" as const),
    fc.constant("hangs up" as const),
    fc.constant("stops reading" as const),
    fc.constant("engine fails" as const),
    fc.constant("engine ends early" as const),
    fc.constant("does not fit" as const),
    fc.constant("is cut" as const),
  ),
  after: fc.integer({ min: 0, max: 10 }),
});
type RequestPlan = typeof requestPlan extends fc.Arbitrary<infer T> ? T : never;

function setup() {
  const engine = new FakeEngine({ capacity: 3, contextTokens: 100 });
  const queue = new FairQueue({ capacity: () => 3, maxLength: 1000, maxWaitMs: 60_000, clock: systemClock });
  const limits = memoryLimits();
  const completions = new Completions({ engine, limits, queueOf: () => queue, clock: systemClock });
  return { engine, queue, limits, completions };
}

describe("reserving and settling", () => {
  it("adds up to the tokens reported, over 1,000 random requests with aborts and errors", async () => {
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(requestPlan, { minLength: 40, maxLength: 60 }), async (plans) => {
        const { engine, queue, limits, completions } = setup();
        const caller = callerWith({ tokensPerMinute: limit, concurrentRequests: 1000 });
        const byText = new Map(plans.map((plan, index) => [textOf(plan, index), plan]));
        engine.script = ({ messages }) => {
          const plan = byText.get(messages[0]?.content ?? "");
          if (plan === undefined) throw new Error("an unknown request");
          return scriptOf(plan);
        };
        const traces = await Promise.all(
          plans.map(async (plan, index): Promise<CompletionTrace> => {
            const trace: CompletionTrace = {};
            await run(completions, caller, plan, textOf(plan, index), trace);
            return trace;
          }),
        );
        requests += plans.length;
        const used = traces.reduce((sum, trace) => sum + reported(trace), 0);
        const { tokens, held } = await limits.read(caller);
        expect(limit - tokens.remaining).toBe(used);
        expect([held, queue.running, queue.waiting, engine.active, completions.active]).toEqual([
          0, 0, 0, 0, 0,
        ]);
      }),
      { numRuns: 30 },
    );
    expect(requests).toBeGreaterThanOrEqual(1_000);
  });
});

/** Each request has a text of its own, so that the engine knows which it is. */
const textOf = ({ words, ending }: RequestPlan, index: number): string =>
  ending === "does not fit" ? `${index} ${"w ".repeat(200)}` : `${index} ${"w ".repeat(words)}`;

function scriptOf({ reply, ending, after }: RequestPlan) {
  const fragments = Array.from({ length: reply }, () => "word ");
  if (ending === "engine fails") {
    return { fragments, failure: { at: after, error: new ServiceError("engine_unavailable") } };
  }
  return { fragments, endsEarly: ending === "engine ends early" };
}

/** Takes the request through to its ending, whichever it is; errors are expected. */
async function run(
  completions: Completions,
  caller: ReturnType<typeof callerWith>,
  plan: RequestPlan,
  text: string,
  trace: CompletionTrace,
): Promise<void> {
  const client = new AbortController();
  const mine = { ...caller, key: { ...caller.key, id: `key ${text.split(" ")[0] ?? ""}` } };
  const request = chatRequest(text, { maxTokens: plan.maxTokens, stream: true });
  let seen = 0;
  try {
    for await (const arrival of completions.run(request, mine, client.signal, trace)) {
      if ("type" in arrival || arrival[0]?.type !== "text") continue;
      seen += 1;
      if (seen <= plan.after) continue;
      if (plan.ending === "hangs up") client.abort(new Error("gone"));
      if (plan.ending === "is cut") completions.running.cut({ keyId: mine.key.id });
      if (plan.ending === "stops reading") return;
    }
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof Error && error.message === "gone"))
      throw error;
  }
}

/** What the log and the usage say of it. Before it left the queue the engine has done no work. */
const reported = ({ queuedMs, promptTokens = 0, completionTokens = 0 }: CompletionTrace): number =>
  queuedMs === undefined ? 0 : promptTokens + completionTokens;
