/** Other names for the three models, wherever a request can name one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, errorOf, parseEvents, question } from "../../support/clients/chat.js";
import { expectDocumented, expectOpenAi } from "../../support/clients/openapi.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const aliases = [
  { name: "gpt-4o", model: "prism" },
  { name: "vendor/small:8b", model: "lambda" },
  { name: "gpt-*", model: "omega" },
] as const;

let server: TestServer;
let listing: TestServer;
beforeAll(async () => {
  [server, listing] = await Promise.all([
    startServer({ aliases }),
    startServer({ aliases, listAliases: true }),
  ]);
});
afterAll(() => Promise.all([server.close(), listing.close()]));

const get = (on: TestServer, path: string, key?: string) =>
  ask(on, { method: "GET", path, ...(key === undefined ? {} : { key }) });
const chat = (model: string, more: object = {}, key = server.apiKey) =>
  ask(server, { body: { ...question, model, ...more }, key });

describe("a completion for an alias", () => {
  it.each([
    ["gpt-4o", "prism"],
    ["gpt-5-mini", "omega"],
    ["vendor/small:8b", "lambda"],
  ])("%s is answered by %s, which the reply names", async (alias, model) => {
    const answer = await chat(alias);
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    expect(answer.json).toMatchObject({ model });
    expect(server.engine.generations.at(-1)?.model).toBe(model);
  });

  it("names the model in every event of a stream", async () => {
    const { events } = parseEvents((await chat("gpt-4o", { stream: true })).body);
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) expect(event).toMatchObject({ model: "prism" });
  });

  it("is 404 for a name that none matches, without repeating it", async () => {
    for (const name of [
      "GPT-4o",
      "my-gpt-4o",
      "gpt",
      "claude-secret",
      "__proto__",
      `gpt-${"x".repeat(5000)}`,
    ]) {
      const answer = await chat(name);
      expect(answer.status).toBe(404);
      expect(errorOf(answer.json)).toMatchObject({ code: "model_not_found", param: "model" });
      expect(answer.body).not.toContain(name);
    }
  });

  it("needs permission for the target, by key and by plan", async () => {
    const key = server.addKey("only-prism", { models: ["prism"] });
    expect((await chat("gpt-4o", {}, key)).status).toBe(200);
    const byKey = await chat("gpt-secret", {}, key);
    expect(byKey.status).toBe(403);
    expect(errorOf(byKey.json).message).toBe(
      "This API key may not use the model 'omega'. It may use: prism.",
    );
    const planned = server.addKey("plan-lambda", { plan: { models: ["lambda"] } });
    expect((await chat("vendor/small:8b", {}, planned)).status).toBe(200);
    const byPlan = await chat("gpt-secret", { stream: true }, planned);
    expect(byPlan.status).toBe(403);
    expect(errorOf(byPlan.json).message).toContain("does not include the model 'omega'");
  });

  it("is logged and measured under the target's name alone", async () => {
    await chat("gpt-canary-ok");
    await chat("canary-unknown");
    await get(server, "/v1/models/gpt-canary-ok");
    await get(server, "/v1/models/canary-unknown");
    const { body } = await server.metrics.text();
    expect(body).toMatch(/model="omega"/);
    expect(body).not.toContain("canary");
    expect(server.logLines.at(-4)).toMatchObject({ model: "omega", status: 200 });
    expect(JSON.stringify(server.logLines)).not.toContain("canary");
  });
});

describe("the list of models", () => {
  it("does not list aliases unless configured to", async () => {
    const { json } = await get(server, "/v1/models");
    expect(json).toMatchObject({ data: [{ id: "omega" }, { id: "prism" }, { id: "lambda" }] });
  });

  it("shows exact aliases after the models, with the limits of their targets", async () => {
    const key = listing.addKey("short", { plan: { maxTokens: 64 } });
    const answer = await get(listing, "/v1/models", key);
    expectDocumented(answer);
    expectOpenAi("ListModelsResponse", answer.json);
    const { json: prism } = await get(listing, "/v1/models/prism", key);
    expect(prism).toMatchObject({ max_output_tokens: 64 });
    expect(answer.json).toMatchObject({
      data: [
        { id: "omega" },
        { id: "prism" },
        { id: "lambda" },
        { ...Object(prism), id: "gpt-4o", alias_of: "prism" },
        { id: "vendor/small:8b", alias_of: "lambda" },
      ],
    });
    expect(answer.json).toMatchObject({ data: { length: 5 } });
  });

  it.each([
    ["gpt-4o", "prism"],
    ["gpt-5-mini", "omega"],
    ["vendor%2Fsmall:8b", "lambda"],
  ])("has an entry for %s wherever it is not listed", async (path, model) => {
    const answer = await get(server, `/v1/models/${path}`);
    expect(answer.status).toBe(200);
    expectDocumented({ ...answer, path: "/v1/models/{id}" });
    expectOpenAi("Model", answer.json);
    const { json: target } = await get(server, `/v1/models/${model}`);
    expect(target).not.toHaveProperty("alias_of");
    expect(answer.json).toEqual({ ...Object(target), id: decodeURIComponent(path), alias_of: model });
  });
});

it("serves the names of the other vendor's models by default", async () => {
  const usual = await startServer();
  try {
    const answer = await ask(usual, { body: { ...question, model: "claude-sonnet-4-5" } });
    expect(answer.json).toMatchObject({ model: "omega" });
  } finally {
    await usual.close();
  }
});
