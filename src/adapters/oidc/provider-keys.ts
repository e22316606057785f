/**
 * The keys that a provider signs with. They are read once and kept; a signature by a key that is not among them makes
 * them be read again, once, since providers replace their keys without notice. Tokens that anyone can send do so at most
 * every half a minute.
 */
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
} from "jose";
import { ProviderFailure } from "../../core/single-sign-on/ports.js";
import type { ProviderRequests } from "./provider-requests.js";

const restMs = 30_000;

/** Signatures that the public keys of a provider can be for; never `none`, and none by a shared secret. */
const algorithms = [
  ...["RS", "PS", "ES"].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`)),
  ...["EdDSA", "Ed25519"],
];

export class ProviderKeys {
  #keys: ReturnType<typeof createLocalJWKSet> | null = null;
  #readMs = 0;

  constructor(
    private readonly address: string,
    private readonly requests: ProviderRequests,
    private readonly monotonicMs: () => number,
  ) {}

  /** `fromAnyone`: the token did not come from the provider itself. */
  async verify(token: string, options: JWTVerifyOptions, fromAnyone: boolean): Promise<JWTPayload> {
    const known = this.#keys;
    try {
      return await this.#verify(token, options);
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      const mayRead = !fromAnyone || this.monotonicMs() - this.#readMs >= restMs;
      // What was read for this token need not be read again.
      if (known === null || !isUnknownKey || !mayRead) throw error;
      await this.read();
      return this.#verify(token, options);
    }
  }

  async read(): Promise<void> {
    const response = await this.requests.fetch(this.address, { headers: { accept: "application/json" } });
    const keys: unknown = response.status === 200 ? await response.json().catch(() => null) : null;
    try {
      this.#keys = createLocalJWKSet(keys as JSONWebKeySet);
      this.#readMs = this.monotonicMs();
    } catch (error) {
      throw new ProviderFailure("unreachable", `${new URL(this.address).host} does not publish its keys.`, {
        cause: error,
      });
    }
  }

  async #verify(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    if (this.#keys === null) await this.read();
    if (this.#keys === null) throw new Error("Keys were read.");
    return (await jwtVerify(token, this.#keys, { ...options, algorithms })).payload;
  }
}
