/** Encrypts the reply to an encrypted request, under keys that are derived from the request's own. */
import { randomBytes } from "node:crypto";
import { expand, exportSecret, extract, FrameCipher, type HpkeContext } from "../../core/proof/hpke.js";
import type { ReplySeal } from "../connection/exchange.js";

const keyBytes = 32;
const nonceBytes = 12;
const responseLabel = Buffer.from("ehbp response");
const keyLabel = Buffer.from("key");
const nonceLabel = Buffer.from("nonce");

export function sealReply(encapsulated: Uint8Array, context: HpkeContext): ReplySeal {
  const nonce = randomBytes(32);
  const cipher = replyCipher(exportSecret(context, responseLabel, keyBytes), encapsulated, nonce);
  return {
    nonce: nonce.toString("hex"),
    frame: (text) => cipher.frame(text),
  };
}

export function replyCipher(secret: Uint8Array, encapsulated: Uint8Array, nonce: Uint8Array): FrameCipher {
  const prk = extract(Buffer.concat([encapsulated, nonce]), secret);
  return new FrameCipher(expand(prk, keyLabel, keyBytes), expand(prk, nonceLabel, nonceBytes));
}
