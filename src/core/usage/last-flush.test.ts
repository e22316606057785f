import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { flushUntil } from "./last-flush.js";

/** Usage that can be written at the given attempt, each of which takes a second. */
function usageWritableAt(attempt: number) {
  const clock = new FakeClock();
  let attempts = 0;
  const usage = {
    waiting: 3,
    flush: async () => {
      attempts += 1;
      clock.advance(1_000);
      if (attempts >= attempt) usage.waiting = 0;
    },
  };
  const notices: string[] = [];
  const endsMs = clock.monotonicMs() + 3_000;
  return {
    flush: () => flushUntil({ usage, clock, endsMs, onNotice: (text) => notices.push(text) }),
    usage,
    notices,
  };
}

describe("the last flush of usage", () => {
  it("says nothing when the database accepts it", async () => {
    const { flush, usage, notices } = usageWritableAt(1);
    await flush();
    expect(usage.waiting).toBe(0);
    expect(notices).toEqual([]);
  });

  it("tries again when the database recovers, and tells the operator meanwhile", async () => {
    const { flush, usage, notices } = usageWritableAt(2);
    await flush();
    expect(usage.waiting).toBe(0);
    expect(notices).toEqual([
      "The usage of 3 requests cannot be written to the database. Trying for up to 2 s.",
    ]);
  });

  it("gives up when time is up", async () => {
    const { flush, usage } = usageWritableAt(100);
    await flush();
    expect(usage.waiting).toBe(3);
  });
});
