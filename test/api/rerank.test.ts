import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, errorOf } from "../support/clients/chat.js";
import { expectDocumented } from "../support/clients/openapi.js";
import { withTasks } from "../support/engines/fake-engine.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const path = "/v1/rerank";
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ engine: { follows: withTasks, contextTokens: 50 } });
});
afterAll(() => server.close());

const query = "red apple";
const documents = ["a green pear", "a red apple", "a red brick"];

const rank = (fields: object) => ask(server, { path, body: { model: "iota", query, documents, ...fields } });

interface Ranking {
  results: { index: number; relevance_score: number; document?: { text: string } }[];
}

const resultsOf = (json: unknown): Ranking["results"] => (json as Ranking).results;

it("lists the most relevant documents first", async () => {
  const answer = await rank({});
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  expect(resultsOf(answer.json).map(({ index }) => index)).toEqual([1, 2, 0]);
  expect(answer.json).toMatchObject({
    id: expect.stringMatching(/^rerank-/) as string,
    object: "list",
    model: "iota",
    // The query counts with every document.
    usage: { prompt_tokens: 15, total_tokens: 15 },
  });
  for (const result of resultsOf(answer.json))
    expect(Object.keys(result)).toEqual(["index", "relevance_score"]);
});

it("lists only as many as were asked for, with their text where that was asked for", async () => {
  const answer = await rank({ top_n: 2, return_documents: true });
  expectDocumented(answer);
  expect(resultsOf(answer.json)).toEqual([
    { index: 1, relevance_score: expect.any(Number) as number, document: { text: "a red apple" } },
    { index: 2, relevance_score: expect.any(Number) as number, document: { text: "a red brick" } },
  ]);
  expect(resultsOf((await rank({ top_n: 99 })).json)).toHaveLength(3);
});

it("reads documents that are objects with a text", async () => {
  const answer = await rank({ documents: documents.map((text) => ({ text })), return_documents: true });
  expect(resultsOf(answer.json)[0]).toMatchObject({ index: 1, document: { text: "a red apple" } });
});

it.each([
  [{ query: undefined }, "missing_required_parameter", "query"],
  [{ query: "" }, "string_too_short", "query"],
  [{ query: ["x"] }, "invalid_type", "query"],
  [{ documents: undefined }, "missing_required_parameter", "documents"],
  [{ documents: [] }, "empty_array", "documents"],
  [{ documents: "one" }, "invalid_type", "documents"],
  [{ documents: ["one", 2] }, "invalid_type", "documents[1]"],
  [{ documents: [{ title: "x" }] }, "missing_required_parameter", "documents[0].text"],
  [{ documents: Array.from({ length: 2049 }, () => "x") }, "array_above_max_length", "documents"],
  [{ top_n: 0 }, "integer_below_min_value", "top_n"],
  [{ return_documents: "yes" }, "invalid_type", "return_documents"],
  [{ documents: ["x", "w ".repeat(60)] }, "context_length_exceeded", "documents[1]"],
])("refuses %j", async (fields, code, param) => {
  const answer = await rank(fields);
  expect(answer.status).toBe(400);
  expectDocumented(answer);
  expect(errorOf(answer.json)).toMatchObject({ type: "invalid_request_error", code, param });
});

it("is refused where the model embeds only, with what to do instead", async () => {
  const embeds = await startServer({ engine: { follows: { ...withTasks, tasks: ["chat", "embed"] } } });
  try {
    const answer = await ask(embeds, { path, body: { model: "iota", query, documents } });
    expect(answer.status).toBe(400);
    expectDocumented(answer);
    expect(errorOf(answer.json)).toMatchObject({ code: "unsupported_value", param: "model" });
    expect(errorOf(answer.json).message).toContain("embeddings");
  } finally {
    await embeds.close();
  }
});
