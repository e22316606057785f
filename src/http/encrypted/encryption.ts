/**
 * Encrypted bodies (the Encrypted HTTP Body Protocol), between the connection and what reads and writes bodies: an
 * endpoint does not know whether its request was encrypted. Headers are not encrypted. What is refused before the
 * first frame was opened, such as an invalid key, is answered in plain text: there is no context yet, and nothing of
 * the body in it.
 */
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../core/errors.js";
import type { HpkeKeys } from "../../core/proof/hpke-keys.js";
import type { SingleUse } from "../../core/proof/single-use.js";
import type { BodyDecoder, BodyDecoding } from "../bodies/body.js";
import { callerOf } from "../connection/caller.js";
import { headerValues } from "../connection/headers.js";
import { EncryptedBody, type OpenedBy } from "./encrypted-body.js";
import { sealReply } from "./reply-seal.js";

const encapsulatedKey = "ehbp-encapsulated-key";

export interface EncryptionOptions {
  /** Null where the service's secrets cannot be opened: nothing that is encrypted can be read. */
  opened: { keys: HpkeKeys; singleUse: Pick<SingleUse, "claim"> } | null;
  /** For every account, whatever its plan says. */
  isRequired: boolean;
}

export class Encryption implements BodyDecoding {
  constructor(private readonly options: EncryptionOptions) {}

  /** Null for a plain body. */
  begin(request: FastifyRequest, limitBytes: number): Promise<BodyDecoder> | null {
    const values = headerValues(request.raw.rawHeaders, encapsulatedKey);
    if (values.length > 0) return this.#beginEncrypted(request, values, limitBytes);
    if (this.options.isRequired || callerOf(request).plan.requiresEncryption) {
      throw new ServiceError("encryption_required");
    }
    return null;
  }

  async #beginEncrypted(
    request: FastifyRequest,
    [value = "", second]: readonly string[],
    limitBytes: number,
  ): Promise<BodyDecoder> {
    if (second !== undefined || !/^[0-9a-f]{64}$/i.test(value)) throw malformedHeader();
    const { opened } = this.options;
    if (opened === null) throw new ServiceError("encryption_key_mismatch");
    const { keys, singleUse } = opened;
    const loading = keys.ready();
    if (loading !== undefined) await loading;
    const encapsulated = Buffer.from(value, "hex");
    return new EncryptedBody({
      encapsulated,
      keys: keys.accepted(),
      limitBytes,
      onOpened: ({ context }) => {
        request.exchange.seal = sealReply(encapsulated, context);
      },
      accept: async ({ key }: OpenedBy) => {
        if (!(await singleUse.claim(key, encapsulated))) throw new ServiceError("replayed_request");
      },
    });
  }
}

const malformedHeader = (): ServiceError =>
  new ServiceError("invalid_encryption", {
    message: "The header 'Ehbp-Encapsulated-Key' must be sent once, as 64 hexadecimal digits.",
    param: "Ehbp-Encapsulated-Key",
  });
