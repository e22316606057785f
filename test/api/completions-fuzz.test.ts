/** Random bodies of `POST /v1/completions`: each is answered or refused in the API's own shape, and none is a bug. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorOf, parseEvents, send } from "../support/clients/chat.js";
import { isDeep } from "../support/depth.js";
import { randomValues } from "../support/inputs/random-values.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const requests = isDeep ? 10_000 : 150;
const atOnce = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const { seed, fraction, int, oneOf } = randomValues();

/** Values that belong nowhere, or only somewhere. */
const odd = (depth = 0): unknown =>
  oneOf<() => unknown>(
    () => null,
    () => int(-3, 40),
    () => fraction() * 4 - 2,
    () => Number.MAX_VALUE,
    () => oneOf("", "a", "\ud800", "\u0000", "日本 🙂", "<|endoftext|>", "x".repeat(int(0, 3_000))),
    () => oneOf(true, false),
    () => ({}),
    () => ({ include_usage: oneOf<unknown>(true, 1, null), 5: 1, __proto__: 2 }),
    () => Array.from({ length: depth > 2 ? 0 : int(0, 12) }, () => odd(depth + 1)),
    () => Array.from({ length: int(1, 40) }, () => int(0, 100)),
    () => Array.from({ length: int(1, 5) }, () => Array.from({ length: int(0, 3) }, () => int(0, 9))),
    () => Array.from({ length: int(1, 5) }, () => "text"),
  )();

const usual: Record<string, () => unknown> = {
  model: () => oneOf("omega", "prism", "lambda"),
  prompt: () => oneOf<unknown>("Once", ["a", "b"], [1, 2], [[1], [2]]),
  suffix: () => "after",
  max_tokens: () => int(1, 20),
  temperature: () => fraction() * 2,
  top_p: () => fraction(),
  n: () => 1,
  best_of: () => 1,
  echo: () => oneOf(true, false),
  logprobs: () => int(0, 6),
  stop: () => oneOf<unknown>("x", ["x", "y"]),
  stream: () => oneOf(true, false),
  stream_options: () => ({ include_usage: oneOf(true, false) }),
  seed: () => int(0, 100),
  logit_bias: () => ({ 5: 1 }),
  frequency_penalty: () => fraction() * 2,
  presence_penalty: () => fraction() * 2,
  user: () => "someone",
};

function randomBody(): string {
  const body: Record<string, unknown> = { model: "omega", prompt: "Once" };
  for (const [name, value] of Object.entries(usual)) {
    const chance = fraction();
    if (chance < 0.2) body[name] = value();
    else if (chance < 0.26) body[name] = odd();
  }
  const text = JSON.stringify(body);
  return fraction() < 0.03 ? text.slice(0, int(0, text.length)) : text;
}

it(`answers ${requests} random requests (seed ${seed}) with a reply or an error that names its cause`, async () => {
  const statuses = new Map<number, number>();
  const one = async () => {
    const body = randomBody();
    const response = await send(server, { path: "/v1/completions", body });
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.status === 200) {
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isStream) expect(parseEvents(text).done).toBe(true);
      else expect(JSON.parse(text)).toMatchObject({ object: "text_completion" });
      return;
    }
    const { code } = errorOf(JSON.parse(text));
    const expected = code === "model_not_found" ? 404 : 400;
    expect({ status: response.status, body }).toMatchObject({ status: expected });
  };
  const worker = async () => {
    for (let sent = 0; sent < requests / atOnce; sent++) await one();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  // Both kinds are there, or it tests nothing.
  expect(statuses.get(200)).toBeGreaterThan(requests / 20);
  expect(statuses.get(400)).toBeGreaterThan(requests / 20);
  expect(server.engine.active).toBe(0);
});
