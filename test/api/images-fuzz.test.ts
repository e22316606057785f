/** Images that are wrong in some way, by each API: every answer is a reply or an error in the API's own shape. */
import { randomBytes, randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../support/clients/chat.js";
import { isDeep } from "../support/depth.js";
import { dataUrl, imageQuestions, pngWith } from "../support/inputs/images.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const requests = isDeep ? 10_000 : 150;
const atOnce = 8;

const features = { jsonSchema: true, logprobs: true, tools: true, reasoning: true };
let servers: TestServer[];
beforeAll(async () => {
  const limits = { bodyLimitBytes: 20_000, imageBodyLimitBytes: 100_000 };
  servers = await Promise.all(
    [true, false].map((vision) => startServer({ ...limits, engine: { follows: { ...features, vision } } })),
  );
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const pick = <T>(items: readonly T[]): T => {
  const item = items[randomInt(items.length)];
  if (item === undefined) throw new Error("There is one.");
  return item;
};
const noise = () => randomBytes(randomInt(0, 60)).toString("latin1");
const odd = (): unknown =>
  pick<unknown>([
    null,
    1,
    -1,
    true,
    "",
    noise(),
    [],
    {},
    [[]],
    { url: 1 },
    "auto",
    "http://[",
    "data:",
    ",",
    "\ud800",
  ]);

const urls: (() => string)[] = [
  () => dataUrl(),
  () => dataUrl(pngWith(randomBytes(randomInt(0, 90_000)))),
  () => dataUrl(noise()),
  () => dataUrl(randomBytes(randomInt(0, 200)).toString("base64")),
  () => dataUrl().slice(0, randomInt(0, 60)),
  () => dataUrl().replace("png", noise()),
  () => `https://example.com/${noise()}`,
  () => noise(),
];

/** With one value somewhere in it replaced, left out or repeated. */
function mutated(value: unknown): unknown {
  if (randomInt(12) === 0) return odd();
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => (randomInt(3) === 0 ? mutated(item) : item));
    return randomInt(6) === 0 ? [...items, ...items] : items;
  }
  if (typeof value !== "object" || value === null) return randomInt(10) === 0 ? odd() : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => randomInt(20) > 0)
      .map(([name, inner]) => [name, randomInt(3) === 0 ? mutated(inner) : (inner as unknown)]),
  );
}

it(`answers ${requests} requests with images without a 500`, async () => {
  const statuses = new Map<number, number>();
  let sent = 0;
  const worker = async () => {
    while (sent < requests) {
      sent += 1;
      const [name, { path, body }] = pick(Object.entries(imageQuestions));
      const wanted = body(pick(urls)());
      const changed = randomInt(3) === 0 ? wanted : mutated(wanted);
      const { status, json } = await ask(pick(servers), { path, body: JSON.stringify(changed) });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) continue;
      expect([400, 404]).toContain(status);
      const error = { type: expect.any(String) as string, message: expect.any(String) as string };
      expect(json).toMatchObject(name === "messages" ? { type: "error", error } : { error });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]));
  for (const server of servers) {
    expect(server.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(server.completions.active).toBe(0);
  }
});
