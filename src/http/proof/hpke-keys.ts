/**
 * `GET /.well-known/hpke-keys`: the key that bodies are encrypted to, as a key configuration of Oblivious HTTP (RFC
 * 9458, section 3): id, KEM, public key, and one suite of KDF and AEAD. Clients take the first configuration. Earlier
 * keys are not listed: nothing new should be encrypted to them.
 */
import type { FastifyReply } from "fastify";
import { ServiceError } from "../../core/errors.js";
import { suite } from "../../core/proof/hpke.js";
import type { HpkeKey } from "../../core/proof/hpke-keys.js";
import type { HttpParts } from "../parts.js";

/** Short, so that no cache hands out a key that was replaced early. */
const cachedForSeconds = 300;
const suiteBytes = 4;

export function hpkeKeys({ hpkeKeys: keys }: HttpParts) {
  return async (_request: unknown, reply: FastifyReply): Promise<Buffer> => {
    if (keys === undefined) throw withoutKeys();
    await keys.ready();
    const seconds = Math.min(cachedForSeconds, Math.ceil(keys.currentForMs / 1000));
    reply
      .header("content-type", "application/ohttp-keys")
      .header("cache-control", `public, max-age=${seconds}`);
    return keyConfiguration(keys.current());
  };
}

function keyConfiguration({ id, publicKey }: Pick<HpkeKey, "id" | "publicKey">): Buffer {
  const numbers = [suite.kem, suiteBytes, suite.kdf, suite.aead].map((value) => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(value);
    return bytes;
  });
  const [kem = Buffer.alloc(0), ...suites] = numbers;
  return Buffer.concat([Buffer.from([id]), kem, publicKey, ...suites]);
}

const withoutKeys = (): ServiceError =>
  new ServiceError("overloaded", {
    message: "This server cannot open its keys for encrypted bodies. Its log tells the operator why.",
    retryAfterSeconds: 59,
  });
