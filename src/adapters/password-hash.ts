/**
 * Passwords at rest: argon2id with the parameters OWASP recommends (19 MiB, two passes). Each run takes a
 * core for tens of milliseconds; the server limits how many run at once (core/sign-in/password-queue.ts). The library
 * is loaded with the first password: every start would wait for it.
 */
// Written out, so that new defaults of the library do not change what we store.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id string that carries its own salt and parameters. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import("@node-rs/argon2");
  return hash(password, parameters);
}

/** Rejects when the stored string is not an argon2 hash. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const { verify } = await import("@node-rs/argon2");
  return verify(stored, password);
}
