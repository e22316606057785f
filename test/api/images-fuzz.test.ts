/** Images that are wrong in some way, by each API: every answer is a reply or an error in the API's own shape. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../support/clients/chat.js";
import { isDeep } from "../support/depth.js";
import { dataUrl, imageQuestions, pngWith } from "../support/inputs/images.js";
import { randomValues } from "../support/inputs/random-values.js";
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

const { seed, int, oneIn, oneOf, bytes } = randomValues();
const noise = () => bytes(int(0, 60)).toString("latin1");
const odd = (): unknown =>
  oneOf<unknown>(
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
  );

const urls: (() => string)[] = [
  () => dataUrl(),
  () => dataUrl(pngWith(bytes(int(0, 90_000)))),
  () => dataUrl(noise()),
  () => dataUrl(bytes(int(0, 200)).toString("base64")),
  () => dataUrl().slice(0, int(0, 60)),
  () => dataUrl().replace("png", noise()),
  () => `https://example.com/${noise()}`,
  () => noise(),
];

/** With one value somewhere in it replaced, left out or repeated. */
function mutated(value: unknown): unknown {
  if (oneIn(12)) return odd();
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => (oneIn(3) ? mutated(item) : item));
    return oneIn(6) ? [...items, ...items] : items;
  }
  if (typeof value !== "object" || value === null) return oneIn(10) ? odd() : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !oneIn(20))
      .map(([name, inner]) => [name, oneIn(3) ? mutated(inner) : (inner as unknown)]),
  );
}

it(`answers ${requests} requests with images (seed ${seed}) without a 500`, async () => {
  const statuses = new Map<number, number>();
  let sent = 0;
  const worker = async () => {
    while (sent < requests) {
      sent += 1;
      const [name, { path, body }] = oneOf(...Object.entries(imageQuestions));
      const wanted = body(oneOf(...urls)());
      const changed = oneIn(3) ? wanted : mutated(wanted);
      const { status, json } = await ask(oneOf(...servers), { path, body: JSON.stringify(changed) });
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
