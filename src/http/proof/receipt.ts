/** A receipt for a completion whose request asks for one: hashes what passes, and signs at the end. */
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import { type ReceiptClaims, signReceipt } from "../../core/proof/receipt.js";
import type { ModelId } from "../../core/models.js";
import type { Signer } from "../../core/proof/signer.js";
import type { ReplyReceipt } from "../connection/exchange.js";
import { headerValues } from "../connection/headers.js";

const name = "Sotto-Receipt";
export const receiptHeader = name.toLowerCase();

/** What receipts are made with. */
export interface Receipts {
  /** Null where the service's secrets cannot be opened. */
  signer(): Pick<Signer, "keyId" | "sign"> | null;
  /** SHA-256 of the model's weights and of the statement in force; null where it is not known. */
  facts(model: ModelId): Pick<ReceiptClaims, "weights" | "statement">;
}

/** Null where none is asked for. */
export function beginReceipt(
  { rawHeaders }: FastifyRequest["raw"],
  receipts: Receipts | undefined,
  clock: Clock,
): ReplyReceipt | null {
  const [nonce, second] = headerValues(rawHeaders, receiptHeader);
  if (nonce === undefined) return null;
  if (second !== undefined || !/^[!-~]{16,128}$/.test(nonce)) throw malformed();
  const signer = receipts?.signer() ?? null;
  if (receipts === undefined || signer === null) throw unavailable();
  const reply = createHash("sha256");
  let requestHash = "";
  return {
    noteRequest: (bytes) => {
      requestHash = createHash("sha256").update(bytes).digest("hex");
    },
    add: (text) => void reply.update(text),
    sign: (model) =>
      signReceipt(signer, {
        iat: Math.floor(clock.now().getTime() / 1000),
        nonce,
        model,
        ...receipts.facts(model),
        request_sha256: requestHash,
        response_sha256: reply.digest("hex"),
      }),
  };
}

/** For a stream that has no place for it. */
export const onlyWithWholeReplies = (): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message:
      "In this API receipts come with whole replies only. Set 'stream' to false, or use an API under /v1.",
    param: name,
  });

const malformed = (): ServiceError =>
  new ServiceError("invalid_value", {
    message: `The header '${name}' must be sent once, with a nonce of 16 to 128 visible ASCII characters.`,
    param: name,
  });

const unavailable = (): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message:
      "This server cannot sign receipts: it cannot open its keys. Send the request without the header.",
    param: name,
  });
