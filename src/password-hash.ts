/**
 * Passwords at rest: argon2id with the parameters OWASP recommends (19 MiB, two passes). Each run takes a
 * core for tens of milliseconds, so at most four run at once and the rest wait their turn: a burst of
 * sign-ins must not take the machine from the model.
 */
import { hash, verify } from "@node-rs/argon2";

const atOnce = 4;

// Written out, so that new defaults of the library do not change what we store.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id string that carries its own salt and parameters. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, parameters));

/** Rejects when the stored string is not an argon2 hash. */
export const verifyPassword = (stored: string, password: string): Promise<boolean> =>
  inTurn(() => verify(stored, password));

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // The turn is handed on without being given up, so no newcomer can slip in between.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
