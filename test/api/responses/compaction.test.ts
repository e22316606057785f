/** `POST /v1/responses/compact`, `compaction_trigger`, and summaries that come back. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, errorOf } from "../../support/clients/chat.js";
import { expectDocumented, expectOurs } from "../../support/clients/openapi.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const summary = "They count herons. There are 42.";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
  server.engine.script = () => ({
    fragments: [{ reasoning: "Hm." }, "They count herons. ", "There are 42. "],
  });
});
afterEach(() => server.close());

const path = "/v1/responses/compact";
const input = [
  { role: "developer", content: "Be exact." },
  { role: "user", content: "Count the herons." },
  { role: "assistant", content: "There are 42." },
  { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "herons" },
  { role: "user", content: "And now?" },
];
const body = { model: "omega", instructions: "Be brief.", input };

interface Compacted {
  id: string;
  object: string;
  output: {
    id: string;
    type: string;
    role?: string;
    content?: { text: string }[];
    encrypted_content?: string;
  }[];
}

async function compact(fields: object = {}, key = server.apiKey): Promise<Compacted> {
  const answer = await ask(server, { path, body: { ...body, ...fields }, key });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  expectDocumented(answer);
  return answer.json as Compacted;
}

const sealedIn = ({ output }: Compacted): string => output.at(-1)?.encrypted_content ?? "";
const item = (encrypted_content: string) => ({ type: "compaction", encrypted_content });
const lastAsked = () => server.engine.generations.at(-1);

describe("POST /v1/responses/compact", () => {
  it("has the model summarize the conversation, without tools", async () => {
    const tools = [{ type: "function", name: "look" }];
    const compacted = await compact({ tools, parallel_tool_calls: true, text: { verbosity: "low" } });
    expect(compacted.object).toBe("response.compaction");
    expect(compacted.output.map(({ type, role }) => role ?? type)).toEqual(["user", "user", "compaction"]);
    const asked = lastAsked();
    expect(asked?.tooling).toBeUndefined();
    expect(asked?.maxTokens).toBe(4096);
    expect(asked?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
    expect(asked?.messages.at(-1)?.content).toMatch(/^And now\?\n\nStop here\. Write a summary/);
  });

  it("does not show the summary, and never twice the same", async () => {
    const [one, two] = [await compact(), await compact()];
    expect(JSON.stringify(one)).not.toContain(summary);
    expect(Buffer.from(sealedIn(one), "base64url").toString("latin1")).not.toContain("herons");
    expect(sealedIn(one)).not.toBe(sealedIn(two));
  });

  it("opens it where it comes back", async () => {
    const { output } = await compact();
    const next = [...output, { role: "user", content: "How many?" }];
    const { status } = await ask(server, { path: "/v1/responses", body: { ...body, input: next } });
    expect(status).toBe(200);
    expect(lastAsked()?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Count the herons." },
      { role: "user", content: "And now?" },
      { role: "user", content: `This summary replaces the conversation up to here:\n\n${summary}` },
      { role: "user", content: "How many?" },
    ]);
  });

  it("summarizes what was summarized", async () => {
    const first = sealedIn(await compact());
    const again = await compact({ input: [item(first), { role: "user", content: "Go on." }] });
    expect(lastAsked()?.messages.some(({ content }) => content.includes(summary))).toBe(true);
    // The summary is not among the user's own messages.
    expect(again.output.map(({ type, content }) => content?.[0]?.text ?? type)).toEqual([
      "Go on.",
      "compaction",
    ]);
  });

  it("works with calls of a namespace, as Codex sends them", async () => {
    const sealed = sealedIn(await compact());
    const tools = [{ type: "namespace", name: "mcp", tools: [{ type: "function", name: "look" }] }];
    const history = [
      item(sealed),
      { type: "function_call", call_id: "c1", name: "look", namespace: "mcp", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "x" },
    ];
    await compact({ input: history, tools });
    expect(lastAsked()?.messages.find(({ toolCalls }) => toolCalls !== undefined)?.toolCalls).toMatchObject([
      { name: expect.stringContaining("look") as string },
    ]);
  });

  it("keeps the user's latest messages beside it, as far as they fit", async () => {
    const texts = ["a".repeat(7_000), "b".repeat(7_000), "c".repeat(500)];
    const { output } = await compact({ input: texts.map((content) => ({ role: "user", content })) });
    expect(output.map(({ content, type }) => content?.[0]?.text ?? type)).toEqual([
      ...texts.slice(1),
      "compaction",
    ]);
  });

  it("counts as a completion", async () => {
    const { json } = await ask(server, { path, body });
    expect(json).toMatchObject({
      usage: { output_tokens: 3, output_tokens_details: { reasoning_tokens: 1 } },
    });
    const key = server.addKey("sk-spent", { plan: { tokensPerMinute: 0 } });
    expect((await ask(server, { path, body, key })).status).toBe(429);
  });

  it("says that there is no summary where the model wrote none", async () => {
    server.engine.script = () => ({ fragments: [{ reasoning: "Hm." }, " "] });
    const { status, json } = await ask(server, { path, body });
    expect(status).toBe(503);
    expect(errorOf(json).message).toContain("no summary");
  });

  it("is what the official library calls", async () => {
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey, maxRetries: 0 });
    const compacted = await client.responses.compact({ model: "omega", input: "Count the herons." });
    expect(compacted.output.at(-1)).toMatchObject({ type: "compaction" });
    const { output_text } = await client.responses.create({
      model: "omega",
      input: [
        ...(compacted.output as OpenAI.Responses.ResponseInputItem[]),
        { role: "user", content: "Go on." },
      ],
    });
    expect(output_text).toBe(`${summary} `);
  });
});

describe("a summary that is not ours to open", () => {
  const refusalOf = async (encrypted: string, key = server.apiKey) => {
    const sent = { model: "omega", input: [{ role: "user", content: "x" }, item(encrypted)] };
    const { status, json } = await ask(server, { path: "/v1/responses", body: sent, key });
    return { status, ...errorOf(json) };
  };

  it("is refused for another account", async () => {
    const sealed = sealedIn(await compact());
    const refusal = await refusalOf(sealed, server.addKey("sk-other"));
    expect(refusal).toMatchObject({
      status: 400,
      code: "invalid_value",
      param: "input[1].encrypted_content",
    });
    expect(refusal.message).toContain("another account");
    expect(refusal.message).not.toContain(sealed);
  });

  it("works with another key of the same account", async () => {
    const keyOf = (name: string) => server.addKey(name, { accountId: "acc_shared" });
    const sealed = sealedIn(await compact({}, keyOf("sk-one")));
    const sent = { model: "omega", input: [item(sealed), { role: "user", content: "x" }] };
    const { status } = await ask(server, { path: "/v1/responses", body: sent, key: keyOf("sk-two") });
    expect(status).toBe(200);
  });

  it("is refused when it is damaged", async () => {
    const sealed = sealedIn(await compact());
    const damaged = `${sealed.slice(0, 30)}${sealed[30] === "A" ? "B" : "A"}${sealed.slice(31)}`;
    expect(await refusalOf(damaged)).toMatchObject({ status: 400, param: "input[1].encrypted_content" });
    expect(await refusalOf(sealed.slice(0, -8))).toMatchObject({ status: 400 });
  });

  it("is refused when there are many", async () => {
    const sealed = sealedIn(await compact());
    const sent = { model: "omega", input: Array(17).fill(item(sealed)) };
    const { status, json } = await ask(server, { path: "/v1/responses", body: sent });
    expect({ status, param: errorOf(json).param }).toEqual({ status: 400, param: "input[16]" });
  });

  it("is passed over when another service made it", async () => {
    const sent = { model: "omega", input: [item("gAAAAABo"), { role: "user", content: "x" }] };
    expect((await ask(server, { path: "/v1/responses", body: sent })).status).toBe(200);
    expect(lastAsked()?.messages).toEqual([{ role: "user", content: "x" }]);
  });
});

describe("compaction_trigger at the end of input", () => {
  const triggered = { ...body, input: [...input, { type: "compaction_trigger" }] };

  it("streams one compaction item, as Codex expects it", async () => {
    const answer = await ask(server, { path: "/v1/responses", body: { ...triggered, stream: true } });
    const events = [...answer.body.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, , data = ""]) => {
      return JSON.parse(data) as { type: string; sequence_number: number; response?: object };
    });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3, 4]);
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    expectOurs("Response", events.at(-1)?.response);
    expect(events.at(-1)?.response).toMatchObject({ output: [{ type: "compaction" }] });
    expect(answer.body).not.toContain("They count");
  });

  it("replies with it as a whole, completed even where the summary was cut", async () => {
    server.engine.script = () => ({ fragments: ["Half"], finishReason: "length" });
    const { status, json } = await ask(server, { path: "/v1/responses", body: triggered });
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: "response", status: "completed", output: [{ type: "compaction" }] });
  });

  it("fails the stream where the model wrote nothing", async () => {
    server.engine.script = () => ({ fragments: ["", { reasoning: "Hm." }] });
    const answer = await ask(server, { path: "/v1/responses", body: { ...triggered, stream: true } });
    expect(answer.body).toContain("no summary");
    expect(answer.body).not.toContain("response.completed");
  });
});
