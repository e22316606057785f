/** JSON schemas through the whole of the built program, with the real engine on a tiny model. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { isDeep } from "../support/depth.js";
import { hostileSchemas } from "../support/inputs/hostile-schemas.js";
import { pydanticZoo } from "../support/inputs/pydantic-zoo.js";
import { randomSchemas } from "../support/inputs/random-schemas.js";
import { zodZoo } from "../support/inputs/zod-zoo.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";

let sotto: SottoProcess;
let key: string;

beforeAll(async () => {
  const env = {
    SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000",
    SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
    SOTTO_LIMIT_CONCURRENT_REQUESTS: "100",
    SOTTO_ENGINE_SEQUENCES: "8",
  };
  sotto = await startTinySotto(env, { says: "anything", loudness: 0.3 });
  key = await sotto.newKey();
});
afterAll(() => sotto.stop());

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

async function post(body: string, apiKey = key): Promise<Answer> {
  const response = await fetch(`${sotto.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const withFields = (fields: object): string =>
  JSON.stringify({
    model: "omega",
    max_tokens: 100,
    messages: [{ role: "user", content: "Go." }],
    ...fields,
  });

const inSchema = (schema: unknown, apiKey = key): Promise<Answer> =>
  post(
    withFields({ response_format: { type: "json_schema", json_schema: { name: "test", schema } }, seed: 1 }),
    apiKey,
  );

interface Body {
  error?: { message: string; type: string; param: string | null; code: string };
  choices?: { message: { content: string }; finish_reason: string }[];
}
const bodyOf = ({ text }: Answer): Body => JSON.parse(text) as Body;

async function readyz(): Promise<number> {
  const response = await fetch(new URL("/readyz", sotto.baseURL));
  await response.text();
  return response.status;
}

/** As strict about values as it can be, and not about how schemas are written. */
function isValid(schema: Record<string, unknown>, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false });
  // A CommonJS module whose types say otherwise.
  const addFormats = "default" in formats ? formats.default : formats;
  addFormats(ajv);
  return ajv.validate(schema, value);
}

const many = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));

const random = isDeep ? 240 : 16;

describe("random schemas", () => {
  it("get JSON that is valid for them, or a refusal that says why", async () => {
    const [ordinary, hostile] = [randomSchemas(3), hostileSchemas(3)];
    const schemas = many(random, (index) => (index % 2 === 0 ? ordinary() : hostile()));
    const counts = { valid: 0, cut: 0, refused: 0 };
    // Two of four may take their whole time to compile; more, on a busy machine, longer than a request waits for that.
    for (let at = 0; at < schemas.length; at += 4) {
      const batch = schemas.slice(at, at + 4);
      const [ready, ...answers] = await Promise.all([readyz(), ...batch.map((schema) => inSchema(schema))]);
      expect(ready).toBe(200);
      answers.forEach((answer, index) => {
        const { error, choices } = bodyOf(answer);
        const schema = batch[index] ?? {};
        const about = `${JSON.stringify(schema).slice(0, 2_000)} → ${answer.text.slice(0, 500)}`;
        if (answer.status === 400) {
          counts.refused += 1;
          expect(error?.type, about).toBe("invalid_request_error");
          // Too deep to be read at all.
          if (error?.code === "invalid_json") return;
          expect(error?.code, about).toBe("invalid_value");
          expect(error?.param, about).toMatch(/^response_format/);
          return;
        }
        expect(answer.status, about).toBe(200);
        const [choice] = choices ?? [];
        if (choice?.finish_reason !== "stop") {
          counts.cut += 1;
          return;
        }
        const value: unknown = JSON.parse(choice.message.content);
        if ((at + index) % 2 === 0) expect(isValid(schema, value), about).toBe(true);
        counts.valid += 1;
      });
    }
    // One kind alone would say little.
    expect(counts.valid).toBeGreaterThan(random / 4);
    expect(counts.refused).toBeGreaterThan(random / 24);
  });
});

describe("schemas as libraries write them", () => {
  const format = (schema: object, strict: boolean) =>
    withFields({ response_format: { type: "json_schema", json_schema: { name: "test", schema, strict } } });
  const ofZod = Object.entries(zodZoo).map(([name, type]): [string, object] => [
    name,
    z.toJSONSchema(type, { unrepresentable: "any", target: "draft-7" }),
  ]);

  it("are accepted with strict and without, and take the grammar that they are given", async () => {
    // All of them are compiled in src/engines/structured-output/json-schema/zoo.test.ts.
    const all = [...ofZod, ...Object.entries(pydanticZoo)].filter(
      (_, index) => index % (isDeep ? 8 : 24) === 0,
    );
    const bodies = all.flatMap(([, schema]) => [format(schema, true), format(schema, false)]);
    const refused: string[] = [];
    for (let at = 0; at < bodies.length; at += 8) {
      const answers = await Promise.all(bodies.slice(at, at + 8).map((body) => post(body)));
      answers.forEach((answer, index) => {
        if (answer.status !== 200) refused.push(`${bodies[at + index] ?? ""} → ${answer.text}`);
      });
    }
    expect(refused).toEqual([]);
  });

  it("with unsupported keywords are refused with an alternative, only with strict", async () => {
    const schema = { type: "array", items: { type: "string" }, uniqueItems: true };
    expect((await post(format(schema, false))).status).toBe(200);
    const strict = await post(format(schema, true));
    expect(strict.status).toBe(400);
    expect(bodyOf(strict).error).toMatchObject({
      code: "invalid_value",
      param: "response_format.json_schema.schema.uniqueItems",
      message: expect.stringContaining("list the items in an 'enum'") as string,
    });
  });

  it("are followed beside json_object too", async () => {
    const schema = { type: "object", properties: { ok: { const: true } }, required: ["ok"] };
    const answer = await post(withFields({ response_format: { type: "json_object", schema } }));
    expect(JSON.parse(bodyOf(answer).choices?.[0]?.message.content ?? "")).toEqual({ ok: true });
  });
});

describe("schemas designed to block the service", () => {
  const properties = Object.fromEntries(many(1_990, (index) => [`p${index}`, { type: "string" }]));
  const string = (pattern: string) => ({ type: "string", pattern });
  it.each<[string, object]>([
    [
      "numbers between many bounds",
      { anyOf: many(1_900, (i) => ({ type: "number", minimum: i + 0.123456789, maximum: 1e14 + i })) },
    ],
    ["60,000 required names", { type: "object", required: many(60_000, (index) => `p${index}`) }],
    ["1,990 properties", { type: "object", properties }],
    ["groups in groups", string("(".repeat(2_000) + "a" + ")".repeat(2_000))],
  ])("are refused: %s", async (_, schema) => {
    const answer = await inSchema(schema);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer).error?.param).toMatch(/^response_format\.json_schema\.schema/);
  });

  it.each([
    ["a long alternation", many(5_000, () => "a").join("|"), /a/],
    ["optional parts that overlap", `^${"a?".repeat(60)}a{60}$`, /^a{60,120}$/],
  ])("are enforced where a small automaton does the same: %s", async (_, pattern, matches) => {
    const answer = await inSchema(string(pattern));
    expect(answer.status).toBe(200);
    const [choice] = bodyOf(answer).choices ?? [];
    if (choice?.finish_reason === "stop") expect(JSON.parse(choice.message.content)).toMatch(matches);
    else expect(choice?.finish_reason).toBe("length");
  });

  it("are refused as a body where they hold more values than any may", async () => {
    const answer = await inSchema({ type: "object", required: many(300_000, (index) => `p${index}`) });
    expect(answer.status).toBe(400);
    expect(bodyOf(answer).error?.code).toBe("invalid_json");
  });

  it("cost the account that sends them like any request", async () => {
    const own = await sotto.newKey();
    const remaining = ({ headers }: Answer) => Number(headers.get("x-ratelimit-remaining-requests"));
    const first = remaining(await inSchema({ type: "private" }, own));
    const second = remaining(await inSchema({ type: "private" }, own));
    expect(first - second).toBe(1);
  });
});

describe("an error", () => {
  const mark = "mark7f3";
  const schema = (of: object, strict = false) =>
    withFields({
      response_format: { type: "json_schema", json_schema: { name: "test", schema: of, strict } },
    });

  it.each<[string, string]>([
    ["a property of a schema", schema({ properties: { [mark]: { type: "date" } } })],
    ["a keyword of a schema", schema({ [mark]: 1, type: mark })],
    ["a definition", schema({ $ref: "#/$defs/a", $defs: { a: { $ref: `#/$defs/${mark}` } } })],
    ["a pattern", schema({ type: "string", pattern: `(?<=${mark})a` }, true)],
    ["a pattern of names", schema({ patternProperties: { [mark]: {}, [`${mark}2`]: {} } }, true)],
    ["a value of a schema", schema({ type: "string", enum: [mark], maxLength: 3 })],
    [
      "the name of a schema",
      withFields({ response_format: { type: "json_schema", json_schema: { name: `${mark} `, schema: {} } } }),
    ],
    ["a format", withFields({ response_format: { type: mark } })],
    ["a model", withFields({ model: mark })],
    ["a role", withFields({ messages: [{ role: mark, content: "" }] })],
    ["a kind of part", withFields({ messages: [{ role: "user", content: [{ type: mark }] }] })],
    ["a parameter", withFields({ temperature: mark, [mark]: mark })],
    ["a bias", withFields({ logit_bias: { [mark]: 1 } })],
    ["a stop sequence", withFields({ stop: [mark, ""] })],
    ["a body that is not JSON", `{"model": ${mark}`],
  ])("does not repeat %s", async (_, body) => {
    const answer = await post(body);
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).not.toContain(mark);
  });

  it("does not repeat a token of a bias, an address or a content type", async () => {
    const biased = await post(withFields({ logit_bias: { "7531": 101 } }));
    expect(bodyOf(biased).error?.param).toBe("logit_bias[0]");
    expect(biased.text).not.toContain("7531");
    const headers = { authorization: `Bearer ${key}`, "content-type": `text/${mark}` };
    for (const [path, init] of [
      [`models/${mark}`, { headers }],
      [`${mark}?${mark}`, { headers }],
      ["chat/completions", { method: "POST", headers, body: "{}" }],
    ] as const) {
      const response = await fetch(`${sotto.baseURL}/${path}`, init);
      expect(await response.text()).not.toContain(mark);
      expect([400, 404]).toContain(response.status);
    }
  });
});
