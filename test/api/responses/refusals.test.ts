/** Whatever refuses a chat completion refuses a response in the same way, and is counted and recorded as one. */
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, errorOf, question, send, type Sent } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { eventually } from "../../support/eventually.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const path = "/v1/responses";
const body = { model: "omega", input: "What is two plus two?" };

let server: TestServer;
beforeEach(async () => {
  const engine = { capacity: 1, defaultMaxTokens: 10, contextTokens: 50 };
  server = await startServer({ clock: new FakeClock(), engine, queueLength: 1, bodyLimitBytes: 3000 });
});
afterEach(() => server.close());

interface Refusal {
  status: number;
  prepare?: () => unknown;
  sent?: () => Sent;
  fields?: object;
}

const spent = (plan: object) => (): Sent => ({ key: server.addKey("sk-spent", { plan }) });

const refusals: Record<string, Refusal> = {
  "no key": { status: 401, sent: () => ({ key: null }) },
  "a wrong key": { status: 401, sent: () => ({ key: "sk-wrong" }) },
  "requests that are spent": { status: 429, sent: spent({ requestsPerMinute: 0 }) },
  "tokens that are spent": { status: 429, sent: spent({ tokensPerMinute: 0 }) },
  "a request that no minute could admit": { status: 400, sent: spent({ tokensPerMinute: 8 }) },
  "too many at once": { status: 429, sent: spent({ concurrentRequests: 0 }) },
  "a key for other models": {
    status: 403,
    sent: () => ({ key: server.addKey("sk-prism", { models: ["prism"] }) }),
  },
  "a key for other operations": {
    status: 403,
    sent: () => ({ key: server.addKey("sk-models", { operations: ["models"] }) }),
  },
  "an unknown model": { status: 404, fields: { model: "gpt-4o" } },
  "a body that is too large": { status: 400, fields: { user: "x".repeat(4000) } },
  "another content type": { status: 400, sent: () => ({ headers: { "content-type": "text/plain" } }) },
  "malformed JSON": { status: 400, sent: () => ({ body: "{" }) },
  maintenance: {
    status: 503,
    prepare: () => {
      server.completions.refuseNew(new ServiceError("maintenance", { retryAfterSeconds: 7 }));
    },
  },
  "an engine that is down": {
    status: 503,
    prepare: () => {
      server.engine.options.state = "down";
    },
  },
  "a full queue": {
    status: 503,
    prepare: async () => {
      server.engine.hold();
      void send(server, {}).catch(() => undefined);
      await eventually(() => server.engine.active === 1);
      void send(server, {}).catch(() => undefined);
      await eventually(() => server.completions.active === 2);
    },
  },
  "a bug": {
    status: 500,
    prepare: () => {
      server.failVerification(new Error("a bug"));
    },
  },
};

/** Names of fields and times aside: the times are spread so that clients do not all return at once. */
const neutral = (text: string | null) =>
  text
    ?.replace(/max_tokens or n|max_output_tokens|max_tokens/g, "(tokens)")
    .replace(/^messages$|^input$/, "(in)")
    .replace(/\b\d+ s\b/, "(time)");

describe.each(Object.entries(refusals))("%s", (_, { status, prepare, sent = () => ({}), fields = {} }) => {
  it.each([false, true])("is refused as for a chat completion (stream: %s)", async (stream) => {
    await prepare?.();
    const more = sent();
    const chat = await ask(server, { body: { ...question, ...fields, stream }, ...more });
    const answer = await ask(server, { path, body: { ...body, ...fields, stream }, ...more });
    expect(answer.status).toBe(status);
    expectDocumented(answer);
    const seen = ({ json, headers, ...rest }: typeof answer) => {
      const { message, type, code, param } = errorOf(json);
      const names = ["www-authenticate", "x-ratelimit-limit-tokens", "x-ratelimit-limit-requests"];
      const shown = [headers.has("retry-after"), ...names.map((name) => headers.get(name))];
      return { status: rest.status, message: neutral(message), type, code, param: neutral(param), shown };
    };
    expect(seen(answer)).toEqual(seen(chat));
    expect(answer.body).not.toMatch(/messages'|'max_tokens|max_tokens or n/);
  });
});

describe("a response", () => {
  it("is counted against the same limits as a chat completion", async () => {
    const plan = { requestsPerMinute: 9, tokensPerMinute: 100 };
    const remaining = async (sent: Sent) => {
      const { headers } = await ask(server, sent);
      return ["requests", "tokens"].map((kind) => headers.get(`x-ratelimit-remaining-${kind}`));
    };
    const first = server.addKey("sk-first", { plan });
    const second = server.addKey("sk-second", { plan });
    const chat = [await remaining({ key: first }), await remaining({ key: first })];
    const key = second;
    expect([await remaining({ path, body, key }), await remaining({ path, body, key })]).toEqual(chat);
  });

  it("leaves the same log line, under its own route", async () => {
    const lineOf = async (sent: Sent) => {
      const { headers } = await ask(server, sent);
      const id = headers.get("x-request-id");
      const line = await eventually(() => server.logLines.find(({ requestId }) => requestId === id));
      const { route, status, outcome, stream, model, promptTokens, completionTokens } = line;
      return { route, status, outcome, stream, model, promptTokens, completionTokens };
    };
    const chat = await lineOf({ body: { ...question, stream: true } });
    expect(await lineOf({ path, body: { ...body, stream: true } })).toEqual({ ...chat, route: path });
  });

  it("is read by the thread for large bodies in the same way", async () => {
    await server.close();
    const parseWorkerFile = resolve("dist/parse-worker.js");
    server = await startServer({ bodyLimitBytes: 1_000_000, parseWorkerFile });
    const metadata = { a: "x".repeat(200_000) };
    const { status, json } = await ask(server, { path, body: { ...body, metadata } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ metadata, output: [{ type: "message" }] });
  });
});
