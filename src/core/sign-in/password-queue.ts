/**
 * Hashing a password takes a core for tens of milliseconds, so only a few run at once: a burst of sign-ins must not
 * take the machine from the API and the model. The rest wait, in a bounded queue, so that a flood of sign-ins is
 * refused instead of piling up.
 */
import { availableParallelism } from "node:os";
import { DashboardError } from "../dashboard-error.js";
import { Semaphore, type SemaphoreOptions } from "../semaphore.js";

/** Native code, so it is passed in. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether it is the password of that hash. */
  verify(hash: string, password: string): Promise<boolean>;
}

/**
 * At most half of the cores: with two, the event loop keeps one. And at most half of libuv's four threads, which files,
 * name lookups and other hashes need too.
 */
export const hashesAtOnce = (cores: number): number => Math.max(1, Math.min(2, Math.floor(cores / 2)));

const defaultLimits = { permits: hashesAtOnce(availableParallelism()), maxWaiting: 60, maxWaitMs: 10_000 };

/** Throws `unavailable` when the queue is full or the wait is too long. */
export function withBoundedQueue(
  passwords: Passwords,
  limits: Omit<SemaphoreOptions, "refusal"> = defaultLimits,
): Passwords {
  const queue = new Semaphore({ ...limits, refusal: tooManySignIns });
  return {
    hash: (password) => queue.run(() => passwords.hash(password)),
    verify: (hash, password) => queue.run(() => passwords.verify(hash, password)),
  };
}

const tooManySignIns = () =>
  new DashboardError("unavailable", "Too many people are signing in. Try again in a moment.", {
    retryAfterSeconds: 2,
  });
