import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, errorOf, question, type Sent } from "../support/clients/chat.js";
import { startServer, type TestServer } from "../support/processes/server.js";

/**
 * Each error on its own, in the contract's order. Every pair of errors that one request can have at once is
 * sent, and must be answered with the earlier of the two.
 */
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ bodyLimitBytes: 3000, engine: { contextTokens: 50 } });
  server.addKey("spent", { plan: { requestsPerMinute: 0 } });
  server.addKey("spent-models", { plan: { requestsPerMinute: 0 }, models: ["prism"] });
  server.addKey("prism-only", { models: ["prism"] });
  server.addKey("no-tokens", { plan: { tokensPerMinute: 0 } });
  server.addKey("prism-only-no-tokens", { models: ["prism"], plan: { tokensPerMinute: 0 } });
  server.addKey("no-concurrency", { plan: { concurrentRequests: 0 } });
});
afterAll(() => server.close());

type Fields = Record<string, unknown>;

interface Mistake {
  name: string;
  answered: string;
  /** Parts of the request that it needs; two errors that need different values of one part exclude each other. */
  key?: string | null;
  path?: string;
  contentType?: string;
  raw?: string;
  fields?: Fields;
}

/** What differs from one endpoint to another. */
interface Endpoint {
  path: string;
  question: Fields;
  /** Of its conversation. */
  field: string;
  bad: Mistake[];
  long: Fields;
}

const endpoints: Endpoint[] = [
  {
    path: "/v1/chat/completions",
    question,
    field: "messages",
    bad: [
      {
        name: "bad message",
        answered: "400 invalid_value messages[0].role",
        fields: { messages: [{ role: "wizard", content: "x" }] },
      },
      {
        name: "bad second message",
        answered: "400 invalid_value messages[1].role",
        fields: { messages: [question.messages[0], { role: "wizard", content: "w ".repeat(60) }] },
      },
    ],
    long: { messages: [{ role: "user", content: "w ".repeat(60) }] },
  },
  {
    path: "/v1/responses",
    question: { model: "omega", input: "What is two plus two?" },
    field: "input",
    bad: [
      {
        name: "bad item",
        answered: "400 unsupported_value input[0].type",
        fields: { input: [{ type: "wizard", content: "x" }] },
      },
      {
        name: "bad second item",
        answered: "400 invalid_value input[1].role",
        fields: { input: [question.messages[0], { role: "wizard", content: "w ".repeat(60) }] },
      },
    ],
    long: { input: "w ".repeat(60) },
  },
];

const mistakesOf = ({ field, bad, long }: Endpoint): Mistake[] => [
  { name: "no key", answered: "401 invalid_api_key", key: null },
  { name: "requests spent", answered: "429 rate_limit_exceeded", key: "spent" },
  { name: "unknown endpoint", answered: "404 unknown_url", path: "/v1/nothing" },
  { name: "content type", answered: "400 unsupported_content_type", contentType: "text/plain" },
  { name: "too large", answered: "400 request_too_large", fields: { user: "x".repeat(4000) } },
  { name: "malformed JSON", answered: "400 invalid_json", raw: "{" },
  { name: "no model", answered: "400 missing_required_parameter model", fields: { model: undefined } },
  {
    name: "no conversation",
    answered: `400 missing_required_parameter ${field}`,
    fields: { [field]: undefined },
  },
  ...bad,
  { name: "bad field", answered: "400 decimal_above_max_value temperature", fields: { temperature: 3 } },
  ...(field === "messages"
    ? [
        {
          name: "unsupported field",
          answered: "400 unsupported_parameter functions",
          fields: { functions: [{}] },
        },
      ]
    : []),
  { name: "unknown model", answered: "404 model_not_found model", fields: { model: "gpt" } },
  { name: "no permission", answered: "403 insufficient_permissions model", key: "prism-only" },
  { name: "no tokens left", answered: "429 rate_limit_exceeded", key: "no-tokens" },
  { name: "nothing at once", answered: "429 rate_limit_exceeded", key: "no-concurrency" },
  {
    name: "context length",
    answered: `400 context_length_exceeded ${field}`,
    fields: long,
  },
];

function combine(first: Mistake, second: Mistake): Mistake | undefined {
  const combined: Mistake = { ...second, ...first, name: `${first.name} + ${second.name}` };
  for (const part of ["key", "path", "contentType", "raw"] as const) {
    const both = first[part] !== undefined && second[part] !== undefined;
    if (both) return undefined;
  }
  const shared = Object.keys(first.fields ?? {}).filter((name) => name in (second.fields ?? {}));
  if (shared.length > 0) return undefined;
  if (combined.raw !== undefined && combined.fields !== undefined) return undefined;
  combined.fields = { ...second.fields, ...first.fields };
  return combined;
}

async function answerTo(
  endpoint: Endpoint,
  { key, path, contentType, raw, fields }: Mistake,
): Promise<string> {
  const sent: Sent = {
    body: raw ?? { ...endpoint.question, ...fields },
    ...(key === undefined ? {} : { key }),
    path: path ?? endpoint.path,
    headers: { "content-type": contentType ?? "application/json" },
  };
  const { status, json } = await ask(server, sent);
  const { code, param } = errorOf(json);
  return [status, code, param].filter((part) => part !== null).join(" ");
}

const pairsOf = (mistakes: readonly Mistake[]) =>
  mistakes.flatMap((first, index) =>
    mistakes
      .slice(index + 1)
      .map((second) => combine(first, second))
      .filter((pair) => pair !== undefined),
  );

describe.each(endpoints)("the order of errors of $path", (endpoint) => {
  const mistakes = mistakesOf(endpoint);
  const pairs = pairsOf(mistakes);

  it.each(mistakes)("$name alone is $answered", async (mistake) => {
    expect(await answerTo(endpoint, mistake)).toBe(mistake.answered);
  });

  it("has pairs to look at", () => {
    expect(pairs.length).toBeGreaterThan(60);
  });

  it.each(pairs)("$name is $answered", async (pair) => {
    expect(await answerTo(endpoint, pair)).toBe(pair.answered);
  });

  it("puts a spent key before one without permission, and that before spent tokens", async () => {
    expect(await answerTo(endpoint, { name: "", answered: "", key: "spent-models" })).toMatch(/^429/);
    expect(await answerTo(endpoint, { name: "", answered: "", key: "prism-only-no-tokens" })).toMatch(/^403/);
  });

  it("puts a wrong content type before a body that is too large by its own account", async () => {
    const headers = { "content-type": "text/plain" };
    const { json } = await ask(server, { path: endpoint.path, body: "x".repeat(5000), headers });
    expect(errorOf(json).code).toBe("unsupported_content_type");
  });
});
