/**
 * Hashing a password takes a core for tens of milliseconds, and only a few are done at once. The rest stand
 * in line; this gives the line an end, so that a flood of sign-ins is turned away instead of growing.
 */
import { DashboardError } from "../dashboard-error.js";

/** Native code, so it is passed in. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether it is the password of that hash. */
  verify(hash: string, password: string): Promise<boolean>;
}

const longestLine = 64;

/** Throws `unavailable` for whoever comes when the line is full. */
export function withBoundedLine(passwords: Passwords, length = longestLine): Passwords {
  let inLine = 0;
  const stand = async <T>(work: () => Promise<T>): Promise<T> => {
    if (inLine >= length) {
      throw new DashboardError("unavailable", "Too many people are signing in. Try again in a moment.", {
        retryAfterSeconds: 2,
      });
    }
    inLine += 1;
    try {
      return await work();
    } finally {
      inLine -= 1;
    }
  };
  return {
    hash: (password) => stand(() => passwords.hash(password)),
    verify: (hash, password) => stand(() => passwords.verify(hash, password)),
  };
}
