/**
 * The key that signs statements, checkpoints and receipts: Ed25519, from a seed that is kept among the service's
 * sealed settings. All replicas of an installation open the same one.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  type KeyObject,
} from "node:crypto";
import type { SealedSettings } from "./sealed-settings.js";

export const signingKeySetting = "proof_signing_key";
const seedBytes = 32;
/** What PKCS #8 puts in front of an Ed25519 seed. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

export class Signer {
  /** 32 bytes, raw. */
  readonly publicKey: Buffer;
  readonly keyId: string;
  readonly #key: KeyObject;

  constructor(seed: Uint8Array) {
    this.#key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
    const { x = "" } = createPublicKey(this.#key).export({ format: "jwk" });
    this.publicKey = Buffer.from(x, "base64url");
    this.keyId = keyIdOf(this.publicKey);
  }

  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#key);
  }
}

/** Base64url of the first 8 bytes of the key's SHA-256. */
const keyIdOf = (publicKey: Uint8Array): string =>
  createHash("sha256").update(publicKey).digest().subarray(0, 8).toString("base64url");

/** The installation's signer; the first caller creates it. */
export async function openSigner(sealed: SealedSettings): Promise<Signer> {
  return new Signer(await sealed.init(signingKeySetting, randomBytes(seedBytes)));
}
