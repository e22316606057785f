/**
 * Cookies of ours. Over TLS a name begins with `__Host-`, which browsers accept only when the cookie is Secure,
 * for the whole host and set by the host itself: a neighbouring subdomain or a plain-HTTP answer cannot plant
 * one. A cookie of the other name is ignored then.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

/** One cookie of the browser that asks. */
export class Cookie {
  readonly #name: string;
  /** As a proxy says, if it is a trusted one. */
  readonly #isSecure: boolean;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    name: string,
    private readonly sameSite: "Lax" | "Strict",
  ) {
    this.#isSecure = request.protocol === "https";
    this.#name = this.#isSecure ? `__Host-${name}` : name;
  }

  get value(): string | null {
    for (const pair of (this.request.headers.cookie ?? "").split(";")) {
      const equals = pair.indexOf("=");
      if (equals > 0 && pair.slice(0, equals).trim() === this.#name) return pair.slice(equals + 1).trim();
    }
    return null;
  }

  set(value: string, expiresAt: Date): void {
    this.#write(value, `Expires=${expiresAt.toUTCString()}`);
  }

  clear(): void {
    this.#write("", "Max-Age=0");
  }

  /** Fastify keeps the others that were set. */
  #write(value: string, lifetime: string): void {
    const attributes = `Path=/; HttpOnly; SameSite=${this.sameSite}`;
    const secure = this.#isSecure ? "; Secure" : "";
    this.reply.header("set-cookie", `${this.#name}=${value}; ${attributes}; ${lifetime}${secure}`);
  }
}
