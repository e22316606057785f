/** The libraries are loaded with the first sign-in: every start would wait for them. */
import type { OidcClient } from "../../core/single-sign-on/ports.js";
import type { OpenIdClientOptions } from "./openid-client.js";

export function lazyOidcClient(options: OpenIdClientOptions): OidcClient {
  let opened: Promise<OidcClient> | null = null;
  const client = (): Promise<OidcClient> => {
    opened ??= import("./openid-client.js").then(({ OpenIdClient }) => new OpenIdClient(options));
    return opened;
  };
  return {
    authorizationUrl: async (...given) => (await client()).authorizationUrl(...given),
    redeem: async (...given) => (await client()).redeem(...given),
    verifyLogout: async (...given) => (await client()).verifyLogout(...given),
    endSessionUrl: async (...given) => (await client()).endSessionUrl(...given),
    check: async (...given) => (await client()).check(...given),
    close: async () => (await opened)?.close(),
  };
}
