/**
 * Rotation of the signing key. The new one is kept beside the old one until the log has an entry about it, signed by
 * both: whatever interrupts this, there is a key for what the log says, and it can be repeated.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.js";
import { UserError } from "../user-error.js";
import type { SealedSettings } from "./sealed-settings.js";
import { openSigner, Signer, signingKeySetting } from "./signer.js";
import { signed } from "./statement.js";
import type { StatementLog } from "./statement-log.js";
import { keyOf } from "./statements.js";

const nextKeySetting = "proof_signing_key_next";

/** The installation's signer: of the key that the log names, where it is here. */
export async function signerInForce(sealed: SealedSettings, inForce: string | null): Promise<Signer> {
  const signer = await openSigner(sealed);
  if (inForce === null || keyOf(signer) === inForce) return signer;
  const next = await sealed.get(nextKeySetting);
  if (next === null || keyOf(new Signer(next)) !== inForce) return signer;
  await settle(sealed, next);
  return new Signer(next);
}

/** Running servers sign with the new key after their next look at the log. */
export async function rotateSigner(
  sealed: SealedSettings,
  log: StatementLog,
  clock: Clock,
): Promise<{ old: Signer; next: Signer }> {
  await log.refresh();
  const old = await signerInForce(sealed, log.key);
  const seed = await sealed.init(nextKeySetting, randomBytes(32));
  const next = new Signer(seed);
  if (log.key === null) throw new UserError("Nothing is signed yet. Start the server first: sotto serve");
  await log.append((head) => {
    if (log.key !== keyOf(old)) return null;
    const entry = { time: clock.now().toISOString(), log: head, old_key: keyOf(old), new_key: keyOf(next) };
    return signed({ ...entry, type: "key" as const }, old, next);
  });
  if (log.key !== keyOf(next)) {
    await sealed.delete(nextKeySetting);
    throw new UserError(
      "The signing key in the database is not the one that the log names. Run: sotto doctor",
    );
  }
  await settle(sealed, seed);
  return { old, next };
}

async function settle(sealed: SealedSettings, seed: Buffer): Promise<void> {
  await sealed.replace(signingKeySetting, seed);
  await sealed.delete(nextKeySetting);
}
