/** Signatures, checked in the same way by Node and by browsers, which have them on secure pages only. */
import { hashes, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "../../core/proof/canonical-json.js";

hashes.sha512 = sha512;

interface Signed {
  entry: unknown;
  signatures: readonly { key: string; signature: string }[];
}

export function isSignature(signature: Uint8Array, message: Uint8Array, key: string): boolean {
  try {
    return verify(signature, message, hexToBytes(key), { zip215: false });
  } catch {
    return false;
  }
}

/** Whether this key signed the entry. */
export function isSignedBy({ entry, signatures }: Signed, key: string): boolean {
  const message = new TextEncoder().encode(canonicalJson(entry));
  return signatures.some(
    (given) => given.key === key && isSignature(hexToBytes(given.signature), message, key),
  );
}
