/**
 * Passwords at rest: argon2id with the parameters OWASP recommends (19 MiB, two passes). Each run takes a
 * core for tens of milliseconds; the server limits how many run at once (core/sign-in/password-queue.ts).
 */
import { hash, verify } from "@node-rs/argon2";

// Written out, so that new defaults of the library do not change what we store.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id string that carries its own salt and parameters. */
export const hashPassword = (password: string): Promise<string> => hash(password, parameters);

/** Rejects when the stored string is not an argon2 hash. */
export const verifyPassword = (stored: string, password: string): Promise<boolean> =>
  verify(stored, password);
