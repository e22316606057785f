/**
 * Codes to sign in with when the second factor is lost: ten, each works once, shown once. With 80 random bits each, a
 * plain hash of one cannot be searched.
 */
import { createHash, randomBytes } from "node:crypto";
import type { FactorStore } from "./ports.js";

const howMany = 10;
const codeBytes = 10;
/** Crockford's: without the letters that are mistaken for digits. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export class RecoveryCodes {
  constructor(private readonly store: FactorStore) {}

  /** Those of before stop working. */
  async replace(accountId: string): Promise<string[]> {
    const codes = Array.from({ length: howMany }, newCode);
    await this.store.replaceRecoveryCodes(accountId, codes.map(hashOf));
    return codes;
  }

  /** For the first factor of an account; null where it has codes already. */
  async ensure(accountId: string): Promise<string[] | null> {
    const { recoveryCodes } = await this.store.summary(accountId);
    return recoveryCodes === 0 ? this.replace(accountId) : null;
  }

  use(accountId: string, code: string): Promise<boolean> {
    return this.store.useRecoveryCode(accountId, hashOf(code));
  }
}

/** Sixteen characters of five bits, in groups of four. */
function newCode(): string {
  let bits = BigInt(`0x${randomBytes(codeBytes).toString("hex")}`);
  let code = "";
  while (code.length < 16) {
    code += alphabet[Number(bits & 31n)] ?? "";
    bits >>= 5n;
  }
  return code.replace(/.{4}(?!$)/g, "$&-");
}

/** However it was typed: in capitals, with spaces or without hyphens. */
const hashOf = (code: string): Uint8Array =>
  createHash("sha256")
    .update(
      code
        .toLowerCase()
        .replace(/[^0-9a-z]/g, "")
        .replace(/o/g, "0")
        .replace(/[il]/g, "1"),
    )
    .digest();
