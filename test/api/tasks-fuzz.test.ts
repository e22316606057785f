/** Random bodies for embeddings and rankings: each is answered, or refused in the API's shape, and never with a 500. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, errorOf } from "../support/clients/chat.js";
import { withTasks } from "../support/engines/fake-engine.js";
import { isDeep } from "../support/depth.js";
import { randomValues } from "../support/inputs/random-values.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const requests = isDeep ? 10_000 : 150;
const atOnce = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    engine: { follows: withTasks, contextTokens: 20 },
    bodyLimitBytes: 64 * 1024,
  });
});
afterAll(() => server.close());

const { seed, int, oneIn, oneOf, several } = randomValues();

const texts = [
  "",
  "x",
  "one two",
  "word ".repeat(30),
  "\ud800",
  "<|im_start|>",
  "__proto__",
  "🙂 ñ 漢",
  "\0",
];
const numbers = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, 64];

function anything(depth = 0): unknown {
  const leaves: (() => unknown)[] = [
    () => oneOf(...texts),
    () => oneOf(...numbers),
    () => oneOf(null, true, false),
  ];
  const nested: (() => unknown)[] = [() => several(() => anything(depth + 1)), () => fields(depth + 1)];
  return oneOf(...leaves, ...(depth < 3 ? nested : []))();
}

const fields = (depth: number): Record<string, unknown> =>
  Object.fromEntries(several(() => [oneOf("text", "input", "type", "__proto__", "0"), anything(depth)]));

/** Mostly of the right shape, so that the checks behind the first are reached. */
const likely = {
  model: () => oneOf<unknown>("iota", "iota", "iota", "iota", "omega", "text-embedding-3-large", "nobody", 5),
  input: () =>
    oneOf<() => unknown>(
      () => oneOf(...texts),
      () => several(() => oneOf(...texts)),
      () => several(() => oneOf(...numbers)),
      () => several(() => several(() => int(0, 100))),
      anything,
    )(),
  encoding_format: () => oneOf<unknown>("float", "base64", "int8", null, 1),
  dimensions: () => oneOf<unknown>(8, 1, 0, -1, "8", null, 1e9),
  user: anything,
  query: () => oneOf<unknown>(...texts, anything()),
  documents: () =>
    oneOf<() => unknown>(
      () => several(() => oneOf(...texts)),
      () => several(() => ({ text: oneOf(...texts) })),
      anything,
    )(),
  top_n: () => oneOf<unknown>(1, 0, 3, -1, 1.5, "2", null),
  return_documents: () => oneOf<unknown>(true, false, "true", null),
};

function body(): unknown {
  if (oneIn(20)) return anything();
  const entries = Object.entries(likely).filter(() => !oneIn(5));
  return Object.fromEntries(entries.map(([name, make]) => [name, make()]));
}

it.each(["/v1/embeddings", "/v1/rerank"])(
  `%s answers or refuses whatever it is sent (seed ${seed})`,
  async (path) => {
    const statuses = new Map<number, number>();
    const sendSome = async (): Promise<void> => {
      for (let sent = 0; sent < requests / atOnce; sent++) {
        const text = JSON.stringify(body());
        const isCut = oneIn(30);
        const answer = await ask(server, {
          path,
          body: isCut ? text.slice(0, int(0, text.length)) : text,
        });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 200) continue;
        expect([400, 404], text).toContain(answer.status);
        expect(errorOf(answer.json).type, text).toBe("invalid_request_error");
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendSome));
    // Both were reached, or the bodies say nothing.
    expect(statuses.get(200)).toBeGreaterThan(requests / 50);
    expect(statuses.get(400)).toBeGreaterThan(requests / 50);
    expect(server.engine.active).toBe(0);
    expect(server.completions.active).toBe(0);
  },
);
