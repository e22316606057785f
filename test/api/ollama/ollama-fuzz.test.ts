/**
 * Random bodies for every route of Ollama's API that reads one, and for `/v1/responses/compact`: each is answered, or
 * refused in the shape of its API, and never with a 500.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, errorOf } from "../../support/clients/chat.js";
import { isDeep } from "../../support/depth.js";
import { randomValues } from "../../support/inputs/random-values.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const requests = isDeep ? 10_000 : 40;
const atOnce = 8;

const { seed, int, oneIn, oneOf, several } = randomValues();
/** Its own, since it is asked in no certain order. */
const reply = randomValues(seed);

let server: TestServer;
beforeAll(async () => {
  const follows = { jsonSchema: true, logprobs: true, tools: true, reasoning: true };
  server = await startServer({
    bodyLimitBytes: 64 * 1024,
    engine: { contextTokens: 200, follows: { ...follows, tasks: ["chat", "embed"] } },
  });
  server.engine.script = () => ({
    fragments: ["a", { call: "look" }, { arguments: reply.oneOf("{}", "", "[1]", "{") }, "b"],
    finishReason: reply.oneOf("stop", "length", "tool_calls"),
  });
});
afterAll(() => server.close());

const texts = ["", "x", "one two", "word ".repeat(210), "\ud800", "<|im_start|>", "__proto__", "🙂", "\0"];
const numbers = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, 64];

function anything(depth = 0): unknown {
  const leaves = [() => oneOf(...texts), () => oneOf(...numbers), () => oneOf(null, true, false)];
  const nested = [() => several(() => anything(depth + 1)), () => fields(depth + 1)];
  return oneOf<() => unknown>(...leaves, ...(depth < 3 ? nested : []))();
}

const fields = (depth: number): Record<string, unknown> =>
  Object.fromEntries(several(() => [oneOf("role", "type", "function", "__proto__", "0"), anything(depth)]));

/** So that most are valid. */
const usual = (text: string): string[] => Array.from({ length: 12 }, () => text);

/** Mostly as it should be, so that the checks behind the first are reached. */
const mostly = (make: () => unknown) => () => (oneIn(12) ? anything() : make());

const made = (parts: Record<string, () => unknown>, needed: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parts)
      .filter(([name]) => needed.includes(name) || oneIn(3))
      .map(([name, make]) => [name, mostly(make)()]),
  );

const call = () =>
  made(
    {
      id: () => oneOf("c1", "c2", null),
      index: () => 0,
      function: () => ({ name: oneOf("look", "a b"), arguments: oneOf<unknown>({}, "{}", "{", 1) }),
    },
    ["function"],
  );
const message = () =>
  made(
    {
      role: () => oneOf(...usual("user"), "system", "User", "assistant", "tool", "developer", "nobody"),
      content: () => oneOf(...usual("hello"), ...texts),
      thinking: () => oneOf(...texts),
      tool_calls: () => several(mostly(call)),
      tool_name: () => oneOf("look", ""),
      tool_call_id: () => oneOf("c1", "c9"),
      images: () =>
        several(() => oneOf("iVBORw0KGgoAAAA=", "/9j/", "AAAA", "data:image/png;base64,iVBORw0KGgo")),
    },
    ["role", "content"],
  );
const tool = () => ({ type: "function", function: { name: oneOf("look", "x y"), parameters: anything() } });
const options = () =>
  made(
    {
      temperature: () => oneOf(0, 0.5, 2, 3),
      top_p: () => oneOf(0, 1, 2),
      top_k: () => oneOf(-1, 1, 40),
      seed: () => oneOf(0, -1, 42),
      num_predict: () => oneOf(-2, -1, 0, 1, 128, -3),
      num_ctx: () => 2048,
      stop: () => oneOf<unknown>("x", ["x"], [], [""]),
      presence_penalty: () => oneOf(0, 3),
    },
    [],
  );
const common = {
  model: () => oneOf(...usual("omega"), "omega:latest", "prism", "nobody", ":latest", ""),
  options,
  stream: () => oneOf(true, false, false),
  format: () => oneOf<unknown>("json", "", "xml", { type: "object" }),
  think: () => oneOf<unknown>(true, false, "high", "x"),
  keep_alive: () => oneOf<unknown>("5m", 0, -1),
  template: () => oneOf("", "x"),
  logprobs: () => oneOf(true, false),
  top_logprobs: () => oneOf(0, 5, 21),
};
const item = () =>
  made(
    {
      type: () =>
        oneOf("message", "compaction", "compaction_trigger", "reasoning", "item_reference", "function_call"),
      role: () => oneOf("user", "assistant", "developer"),
      content: () => oneOf(...texts),
      encrypted_content: () => oneOf("sotto.1.", `sotto.1.${"A".repeat(80)}`, "gAAA", ""),
      id: () => oneOf("msg_1", "rs_1"),
    },
    ["type", "role", "content", "encrypted_content"],
  );

const bodies: Record<string, () => unknown> = {
  "/api/chat": () =>
    made({ ...common, messages: () => several(mostly(message)), tools: () => several(mostly(tool)) }, [
      "model",
      "messages",
    ]),
  "/api/generate": () =>
    made(
      {
        ...common,
        prompt: () => oneOf(...texts),
        suffix: () => oneOf("", "x"),
        system: () => oneOf(...texts),
        raw: () => oneOf(true, false),
        context: () => oneOf<unknown>([], [1]),
        images: () => several(() => oneOf("iVBORw0KGgoAAAA=", "AAAA")),
      },
      ["model", "prompt"],
    ),
  "/api/embed": () =>
    made(
      {
        model: common.model,
        input: () =>
          oneOf<unknown>(
            oneOf(...texts),
            several(() => oneOf(...texts)),
          ),
        dimensions: () => oneOf(0, 1, 8, -1),
        truncate: () => oneOf(true, false),
        options,
      },
      ["model", "input"],
    ),
  "/api/embeddings": () => made({ model: common.model, prompt: () => oneOf(...texts) }, ["model", "prompt"]),
  "/api/show": () => made({ model: common.model, name: common.model, verbose: () => true }, ["model"]),
  "/v1/responses/compact": () =>
    made(
      {
        model: common.model,
        input: () => oneOf<unknown>(oneOf(...texts), several(mostly(item))),
        instructions: () => oneOf(...texts),
        tools: () => several(mostly(() => ({ type: "function", name: "look" }))),
        stream: () => oneOf(true, false),
        previous_response_id: () => null,
      },
      ["model", "input"],
    ),
};

/** Now and then what is no JSON object at all. */
const bodyOf = (make: () => unknown): string => {
  const text = JSON.stringify(mostly(make)() ?? null);
  return oneIn(40) ? text.slice(0, int(0, text.length + 1)) : text;
};

const isRefusal = (json: unknown): boolean =>
  typeof json === "object" && json !== null && Object.keys(json).join() === "error";

it.each(Object.entries(bodies))(
  `answers or refuses ${requests} random bodies at %s (seed ${seed})`,
  async (path, make) => {
    const statuses = new Map<number, number>();
    let sent = 0;
    const worker = async () => {
      while (sent < requests) {
        sent += 1;
        const body = bodyOf(make);
        const { status, json } = await ask(server, { path, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) continue;
        const about = `${status} ${JSON.stringify(json)} for ${body.slice(0, 500)}`;
        expect([400, 404], about).toContain(status);
        if (path.startsWith("/v1")) errorOf(json);
        else
          expect(isRefusal(json) && typeof (json as { error: unknown }).error === "string", about).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    // Refusals alone would prove little.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(requests / 50);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(requests / 50);
    expect(server.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    server.logLines.length = 0;
    server.engine.generations.length = 0;
  },
);
