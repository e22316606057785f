import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until there is an answer other than undefined or false. What it throws is final.
 * The limit is a last resort: on a busy machine anything can take many times what it usually takes.
 */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 170_000,
): Promise<T> {
  const endsAt = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endsAt) throw new Error(`it did not happen within ${deadlineMs} ms`);
    await sleep(10);
  }
}
