/** A real OpenID provider (`oidc-provider`) with pages of its own, and what can go wrong with one. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import type { Answer, Browser } from "./browser-requests.js";

export const clientId = "sotto";
export const clientSecret = "a-secret-of-the-provider";

/** Answers instead of the provider; false leaves it to it. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export class IdentityProvider {
  fault: Fault | null = null;
  /** What it says about someone, by what they type as their name. */
  readonly people = new Map<string, Record<string, unknown>>();
  /** Paths of all requests. */
  readonly requests: string[] = [];
  #handle: ((request: IncomingMessage, response: ServerResponse) => unknown) | null = null;
  #key: JWK = {};
  #keys = 0;
  #client: object = {};

  private constructor(private readonly server: Server) {
    server.on("request", (request, response) => {
      this.requests.push((request.url ?? "").split("?")[0] ?? "");
      if (this.fault?.(request, response) === true) return;
      void this.#handle?.(request, response);
    });
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new IdentityProvider(server);
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Makes the service at this address its client. `tells`: it tells of logouts, naming sessions or people. */
  async serve(url: string, { id = "test", others = [] as string[], tells = "sessions" } = {}): Promise<void> {
    const base = `${url}/sign-in/oidc/${id}`;
    this.#client = {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [id, ...others].map((name) => `${url}/sign-in/oidc/${name}/callback`),
      post_logout_redirect_uris: [`${url}/sign-in`],
      backchannel_logout_uri: `${base}/back-channel-logout`,
      backchannel_logout_session_required: tells === "sessions",
    };
    await this.rotateKeys();
  }

  /** Signs with another key from now on; whoever was signed in is not any more. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    this.#keys += 1;
    this.#key = { ...(await exportJWK(privateKey)), kid: `key-${this.#keys}`, alg: "RS256", use: "sig" };
    const provider = new Provider(this.issuer, {
      clients: [this.#client],
      jwks: { keys: [this.#key] },
      cookies: { keys: ["not a secret"] },
      scopes: ["openid", "email", "groups"],
      claims: { openid: ["sub", "sid"], email: ["email", "email_verified"], groups: ["groups"] },
      features: { backchannelLogout: { enabled: true } },
      // Its own refuses this machine's addresses.
      fetch: (address: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
        fetch(address, options),
      findAccount: (_context: unknown, login: string) => ({
        accountId: login,
        claims: () => ({ sub: login, ...this.people.get(login) }),
      }),
    });
    this.#handle = provider.callback();
  }

  /** A token as the provider would sign it; a claim that is undefined is left out. */
  sign(claims: Record<string, unknown>): Promise<string> {
    const seconds = Math.floor(Date.now() / 1_000);
    const payload: JWTPayload = {
      ...{ iss: this.issuer, aud: clientId, iat: seconds, exp: seconds + 120 },
      ...claims,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: "RS256", kid: `key-${this.#keys}` })
      .sign(this.#key);
  }

  /** What the provider sends to the service when someone signs out there. */
  logoutToken(claims: Record<string, unknown>): Promise<string> {
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    return this.sign({ jti: `logout-${Math.random()}`, events, ...claims });
  }

  /**
   * A person at the provider's pages: from the address that their browser was sent to, to the one of the service that it
   * is sent back to. `login` is null for someone who cancels.
   */
  async visit(from: string, login: string | null, cookies = new Map<string, string>()): Promise<string> {
    let [address, form]: [string, URLSearchParams | null] = [from, null];
    for (let step = 0; step < 20; step++) {
      const response: Response = await fetch(address, {
        redirect: "manual",
        method: form === null ? "GET" : "POST",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
        body: form,
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
        cookies.set(name, value);
      }
      const page = await response.text();
      const location = response.headers.get("location");
      form = null;
      if (location !== null) {
        address = new URL(location, address).href;
        if (!address.startsWith(this.issuer)) return address;
        continue;
      }
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`The provider answered ${response.status}: ${page}`);
      if (login === null) {
        address = `${action}/abort`;
        continue;
      }
      address = action;
      form = new URLSearchParams(
        page.includes('value="login"')
          ? { prompt: "login", login, password: "any" }
          : page.includes('name="xsrf"')
            ? { xsrf: /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "", logout: "yes" }
            : { prompt: "consent" },
      );
    }
    throw new Error("The provider never sent the browser back.");
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The path of the service, with its query, that the provider sends the browser back to. */
export async function roundTrip(
  browser: Browser,
  provider: IdentityProvider,
  login: string | null,
  { path = "/sign-in/oidc/test", cookies = new Map<string, string>() } = {},
): Promise<string> {
  const { headers } = await browser.send("GET", path);
  const back = new URL(await provider.visit(headers.get("location") ?? "", login, cookies));
  return back.pathname + back.search;
}

/** The whole of it; the answer is the service's last redirect. */
export async function signInAt(
  ...given: Parameters<typeof roundTrip>
): Promise<Answer & { location: string }> {
  const [browser] = given;
  const answer = await browser.send("GET", await roundTrip(...given));
  return { ...answer, location: answer.headers.get("location") ?? "" };
}

/** As a setting of the service. */
export const providerSetting = (issuer: string, more: object = {}): string =>
  JSON.stringify([
    {
      ...{ id: "test", name: "Test login", issuer, clientId, clientSecret, signUp: "anyone" },
      ...more,
    },
  ]);
