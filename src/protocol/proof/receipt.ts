/**
 * Checks a receipt offline: a compact JWS over the hashes of a request's and a reply's bytes, the model and the
 * statement in force. A stream's bytes are those before the comment that carries the receipt.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { canonicalJson } from "../../core/proof/canonical-json.js";
import { isSignature, isSignedBy } from "./ed25519.js";
import type { WireStatement } from "./shapes.js";

const headerSchema = z.looseObject({ alg: z.literal("EdDSA"), kid: z.string() });

const claimsSchema = z.looseObject({
  request_sha256: z.string(),
  response_sha256: z.string(),
  model: z.string(),
  weights: z.string().nullable(),
  statement: z.string().nullable(),
  iat: z.number(),
  nonce: z.string(),
});

type ReceiptClaims = z.infer<typeof claimsSchema>;

type ReceiptCause =
  "malformed" | "unknown_key" | "signature" | "request" | "response" | "statement" | "weights";

export interface ReceiptVerification {
  refused: { cause: ReceiptCause; text: string } | null;
  claims: ReceiptClaims | null;
}

interface SignedStatement {
  entry: WireStatement;
  signatures: readonly { key: string; signature: string }[];
}

export interface ReceiptParts {
  receipt: string;
  request: Uint8Array;
  response: Uint8Array;
  /** Keys that are known to be the service's. */
  keys: readonly string[];
  /** The document that the receipt names, where it was saved. */
  statement?: SignedStatement | null;
}

export function verifyReceipt({
  receipt,
  request,
  response,
  keys,
  statement,
}: ReceiptParts): ReceiptVerification {
  const parts = receipt.trim().split(".");
  const [header = "", payload = "", signature = ""] = parts;
  const kid = headerSchema.safeParse(jsonOf(header)).data?.kid;
  const claims = claimsSchema.safeParse(jsonOf(payload)).data;
  const refuse = (cause: ReceiptCause, text: string): ReceiptVerification => ({
    refused: { cause, text },
    claims: claims ?? null,
  });
  if (parts.length !== 3 || kid === undefined || claims === undefined) {
    return refuse("malformed", "This is not a receipt.");
  }
  const key = keys.find((known) => keyIdOf(known) === kid);
  if (key === undefined)
    return refuse("unknown_key", `The receipt is signed by the key ${kid}, which is not known.`);
  if (!isSignature(bytesOf(signature), new TextEncoder().encode(`${header}.${payload}`), key)) {
    return refuse("signature", "The signature is wrong: the receipt was changed, or another key signed it.");
  }
  if (!isHash(claims.request_sha256, request)) {
    return refuse("request", "The receipt is for another request: its bytes have another hash.");
  }
  if (!isHash(claims.response_sha256, beforeReceipt(response))) {
    return refuse("response", "The receipt is for another reply: its bytes have another hash.");
  }
  const problem =
    statement === undefined || statement === null ? null : statementProblem(claims, statement, key);
  return problem === null ? { refused: null, claims } : refuse(...problem);
}

function statementProblem(
  claims: ReceiptClaims,
  statement: SignedStatement,
  key: string,
): [ReceiptCause, string] | null {
  const { entry } = statement;
  const digest = bytesToHex(sha256(new TextEncoder().encode(canonicalJson(entry))));
  if (claims.statement !== digest) return ["statement", "The receipt names another statement than this one."];
  if (!isSignedBy(statement, key)) return ["statement", "The statement is not signed by the receipt's key."];
  const weights = (entry.models[claims.model] ?? []).map((part) => part.weights ?? null);
  if (claims.weights !== null && !weights.includes(claims.weights)) {
    return ["weights", `The statement names other weights for ${claims.model} than the receipt.`];
  }
  return null;
}

const marker = new TextEncoder().encode("\n: sotto-receipt ");

/** The receipt in a saved stream; null in anything else. */
export function receiptIn(response: Uint8Array): string | null {
  const at = lastIndexOf(response, marker);
  if (at < 0) return null;
  const rest = new TextDecoder().decode(response.subarray(at + marker.length));
  return rest.split("\n")[0]?.trim() ?? null;
}

function beforeReceipt(response: Uint8Array): Uint8Array {
  const at = lastIndexOf(response, marker);
  return at < 0 ? response : response.subarray(0, at + 1);
}

function lastIndexOf(bytes: Uint8Array, sought: Uint8Array): number {
  for (let at = bytes.length - sought.length; at >= 0; at--) {
    if (sought.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/** Base64url of the first eight bytes of the key's SHA-256, as the service names it. */
const keyIdOf = (key: string): string => toBase64Url(sha256(hexToBytes(key)).subarray(0, 8));

/** In hexadecimal or in base64url. */
function isHash(claimed: string, bytes: Uint8Array): boolean {
  const hash = sha256(bytes);
  return claimed === bytesToHex(hash) || claimed === toBase64Url(hash);
}

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

function bytesOf(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(text)));
  } catch {
    return null;
  }
}
