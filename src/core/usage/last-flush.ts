/** Writes what was counted before the server ends. A database that is unreachable may recover in time. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.js";
import type { UsageRecorder } from "./usage-recorder.js";

const retryMs = 500;

export interface LastFlush {
  usage: Pick<UsageRecorder, "flush" | "waiting">;
  clock: Clock;
  /** By the monotonic clock. */
  endsMs: number;
  /** Called with a sentence for the operator when it has to be retried. */
  onNotice?: ((notice: string) => void) | undefined;
}

/** Returns when everything is written or time is up; what is left then is in `usage.waiting`. */
export async function flushUntil({ usage, clock, endsMs, onNotice }: LastFlush): Promise<void> {
  await usage.flush();
  const leftSeconds = Math.ceil((endsMs - clock.monotonicMs()) / 1000);
  if (usage.waiting > 0 && leftSeconds > 0) {
    onNotice?.(
      `The usage of ${usage.waiting} requests cannot be written to the database. Trying for up to ${leftSeconds} s.`,
    );
  }
  while (usage.waiting > 0 && clock.monotonicMs() < endsMs) {
    await sleep(retryMs);
    await usage.flush();
  }
}
