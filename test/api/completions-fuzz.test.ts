/** Random bodies of `POST /v1/completions`: each is answered or refused in the API's own shape, and none is a bug. */
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorOf, parseEvents, send } from "../support/clients/chat.js";
import { isDeep } from "../support/depth.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const requests = isDeep ? 10_000 : 150;
const atOnce = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const pick = <T>(items: readonly T[]): T => items[randomInt(items.length)] as T;

/** Values that belong nowhere, or only somewhere. */
const odd = (depth = 0): unknown =>
  pick<() => unknown>([
    () => null,
    () => randomInt(-3, 40),
    () => Math.random() * 4 - 2,
    () => Number.MAX_VALUE,
    () => pick(["", "a", "\ud800", "\u0000", "日本 🙂", "<|endoftext|>", "x".repeat(randomInt(3_000))]),
    () => pick([true, false]),
    () => ({}),
    () => ({ include_usage: pick([true, 1, null]), 5: 1, __proto__: 2 }),
    () => Array.from({ length: depth > 2 ? 0 : randomInt(12) }, () => odd(depth + 1)),
    () => Array.from({ length: randomInt(1, 40) }, () => randomInt(100)),
    () =>
      Array.from({ length: randomInt(1, 5) }, () => Array.from({ length: randomInt(3) }, () => randomInt(9))),
    () => Array.from({ length: randomInt(1, 5) }, () => "text"),
  ])();

const usual: Record<string, () => unknown> = {
  model: () => pick(["omega", "prism", "lambda"]),
  prompt: () => pick<unknown>(["Once", ["a", "b"], [1, 2], [[1], [2]]]),
  suffix: () => "after",
  max_tokens: () => randomInt(1, 20),
  temperature: () => Math.random() * 2,
  top_p: () => Math.random(),
  n: () => 1,
  best_of: () => 1,
  echo: () => pick([true, false]),
  logprobs: () => randomInt(0, 6),
  stop: () => pick<unknown>(["x", ["x", "y"]]),
  stream: () => pick([true, false]),
  stream_options: () => ({ include_usage: pick([true, false]) }),
  seed: () => randomInt(100),
  logit_bias: () => ({ 5: 1 }),
  frequency_penalty: () => Math.random() * 2,
  presence_penalty: () => Math.random() * 2,
  user: () => "someone",
};

function randomBody(): string {
  const body: Record<string, unknown> = { model: "omega", prompt: "Once" };
  for (const [name, value] of Object.entries(usual)) {
    const chance = Math.random();
    if (chance < 0.2) body[name] = value();
    else if (chance < 0.26) body[name] = odd();
  }
  const text = JSON.stringify(body);
  return Math.random() < 0.03 ? text.slice(0, randomInt(text.length)) : text;
}

it(`answers ${requests} random requests with a reply or an error that names its cause`, async () => {
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
