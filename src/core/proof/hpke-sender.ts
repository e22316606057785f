/** The sending side of HPKE, in the mode and suite of hpke.ts: "SetupBaseS". */
import { diffieHellman, generateKeyPairSync } from "node:crypto";
import { deriveContext, extractAndExpand, FrameCipher, type HpkeContext, x25519PublicKey } from "./hpke.js";

export interface Sender {
  /** For the receiver, who derives the same context from it. */
  encapsulated: Buffer;
  context: HpkeContext;
  /** The next frame, with its length in front. */
  frame: (content: string | Uint8Array) => Buffer;
}

export function sendTo(publicKey: Uint8Array, scheduleContext: Uint8Array): Sender {
  const own = generateKeyPairSync("x25519");
  const { x = "" } = own.publicKey.export({ format: "jwk" });
  const encapsulated = Buffer.from(x, "base64url");
  const dh = diffieHellman({ privateKey: own.privateKey, publicKey: x25519PublicKey(publicKey) });
  const context = deriveContext(extractAndExpand(dh, encapsulated, publicKey), scheduleContext);
  const cipher = new FrameCipher(context.key, context.baseNonce);
  return {
    encapsulated,
    context,
    frame: (content) => cipher.frame(content),
  };
}
