/** The dashboard's API as a browser uses it. */

/** Of every account that a test signs up. */
export const password = "correct horse battery";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed, where it is JSON. */
  json: unknown;
}

/** Keeps cookies and sends what a browser sends from a page of the service. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly url: string) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.open(method, path, body, headers);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : null,
    };
  }

  /** The response as it begins, for streams. */
  async open(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const changes = method !== "GET";
    const response = await fetch(this.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(changes ? { "content-type": "application/json", origin: this.url } : {}),
        ...(this.cookies.size === 0 ? {} : { cookie: this.cookieHeader() }),
        ...headers,
      },
      ...(changes ? { body: JSON.stringify(body ?? {}) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  /** Throws unless it worked, and returns the JSON. */
  async must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, json, text } = await this.send(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return json as T;
  }

  get<T>(path: string): Promise<T> {
    return this.must<T>("GET", path);
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.must<T>("POST", path, body);
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const [name = "", value = ""] = pair.split("=");
    if (value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
