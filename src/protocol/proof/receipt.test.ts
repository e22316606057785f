import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Signer } from "../../core/proof/signer.js";
import { digestOf, signed } from "../../core/proof/statement.js";
import { receiptIn, verifyReceipt, type ReceiptParts } from "./receipt.js";
import type { WireStatement } from "./shapes.js";

const signer = new Signer(Buffer.alloc(32, 7));
const key = signer.publicKey.toString("hex");
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const weights = "ab".repeat(32);

const entry: WireStatement = {
  type: "statement",
  time: "2030-01-01T00:00:00.000Z",
  not_after: "2030-01-03T00:00:00.000Z",
  log: { size: 0, root: "0".repeat(64) },
  signing_key: key,
  hpke_key: null,
  version: "1.0.0",
  commit: null,
  program: null,
  models: { omega: [{ runs: "embedded", name: "Tiny", weights }] },
  switches: {},
  machine: {},
  hardware_evidence: null,
};
const statement = signed(entry, signer);
const request = Buffer.from('{"model":"omega"}');
const response = Buffer.from('{"choices":[]}');
const claims = {
  iat: 1_900_000_000,
  nonce: "n".repeat(16),
  model: "omega",
  weights,
  statement: digestOf(entry),
  request_sha256: sha256(request),
  response_sha256: sha256(response),
};

function jws(payload: object, by = signer): string {
  const parts = [{ alg: "EdDSA", typ: "sotto-receipt", kid: by.keyId }, payload];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${by.sign(Buffer.from(text)).toString("base64url")}`;
}

const check = (change: Partial<ReceiptParts> = {}) =>
  verifyReceipt({ receipt: jws(claims), request, response, keys: [key], statement, ...change });
const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

describe("a receipt", () => {
  it("holds for its request, its reply and its statement", () => {
    expect(check()).toEqual({ refused: null, claims });
    expect(check({ statement: null })).toEqual({ refused: null, claims });
  });

  it("holds for a stream that carries it", () => {
    const events = Buffer.from('data: {"delta":"é"}\n\n');
    const receipt = jws({ ...claims, response_sha256: sha256(events) });
    const stream = Buffer.concat([events, Buffer.from(`: sotto-receipt ${receipt}\n\ndata: [DONE]\n\n`)]);
    expect(receiptIn(stream)).toBe(receipt);
    expect(check({ receipt, response: stream }).refused).toBeNull();
    expect(check({ receipt, response: flipped(stream, 8) }).refused?.cause).toBe("response");
    expect(receiptIn(events)).toBeNull();
  });

  it.each([...request.keys()])("is refused when byte %i of the request was another", (at) => {
    expect(check({ request: flipped(request, at) }).refused?.cause).toBe("request");
  });

  it.each([...response.keys()])("is refused when byte %i of the reply was another", (at) => {
    expect(check({ response: flipped(response, at) }).refused?.cause).toBe("response");
  });

  it("is refused when the model, or any other claim, was changed", () => {
    const [header = "", , signature = ""] = jws(claims).split(".");
    for (const changed of [
      { model: "omegb" },
      { weights: "cd".repeat(32) },
      { iat: 1 },
      { nonce: "m".repeat(16) },
    ]) {
      const payload = Buffer.from(JSON.stringify({ ...claims, ...changed })).toString("base64url");
      const receipt = `${header}.${payload}.${signature}`;
      expect(check({ receipt }).refused?.cause).toBe("signature");
    }
  });

  it("is refused by another key, another statement and other weights", () => {
    const stranger = new Signer(randomBytes(32));
    expect(check({ receipt: jws(claims, stranger) }).refused?.cause).toBe("unknown_key");
    const other = signed({ ...entry, version: "2.0.0" }, signer);
    expect(check({ statement: other }).refused?.cause).toBe("statement");
    const forged = { ...statement, signatures: signed(entry, stranger).signatures };
    expect(check({ statement: forged }).refused?.cause).toBe("statement");
    expect(check({ receipt: jws({ ...claims, weights: "cd".repeat(32) }) }).refused?.cause).toBe("weights");
  });

  it.each(["", "a.b", "a.b.c", "....", `${jws(claims)}.x`, jws({ nonce: 1 }), "é.é.é"])(
    "is no %j",
    (receipt) => {
      expect(check({ receipt }).refused?.cause).toBe("malformed");
    },
  );
});
