/** Receipts: what was asked and answered, by hashes, signed by the service. None is kept. */
import type { Signer } from "./signer.js";

/** SHA-256 in hexadecimal; null where it is not known. */
type Digest = string;

export interface ReceiptClaims {
  /** Unix seconds. */
  iat: number;
  /** As the client sent it. */
  nonce: string;
  model: string;
  /** Of the model's weights. */
  weights: Digest | null;
  /** Of the statement that was valid then. */
  statement: Digest | null;
  /** Of the request's body. */
  request_sha256: Digest;
  /** Of the reply's body; of a stream all bytes before the comment with the receipt. */
  response_sha256: Digest;
}

/** A compact JWS. */
export function signReceipt(signer: Pick<Signer, "keyId" | "sign">, claims: ReceiptClaims): string {
  const signed = [{ alg: "EdDSA", typ: "sotto-receipt", kid: signer.keyId }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const text = signed.join(".");
  return `${text}.${signer.sign(Buffer.from(text)).toString("base64url")}`;
}
