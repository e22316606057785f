/** References to items of earlier replies, which some clients send in place of the items. */
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { responseShape, type ResponseShape } from "../../support/clients/response-shapes.js";
import { followResponse } from "../../support/clients/response-stream.js";
import { ask, errorOf, type Sent } from "../../support/clients/chat.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const path = "/v1/responses";
const user = (content: string) => ({ role: "user", content });
const tools = [{ type: "namespace", name: "files", tools: [{ type: "function", name: "read" }] }];

let server: TestServer;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startServer({ clock });
  server.engine.script = () => ({
    fragments: [
      { reasoning: "Hm." },
      "Let me look.",
      { call: "files__read", id: "call_1" },
      { arguments: '{"a":1}' },
    ],
    finishReason: "tool_calls",
  });
});
afterEach(() => server.close());

const sent = (fields: object, more: Sent = {}) =>
  ask(server, { path, body: { model: "omega", tools, ...fields }, ...more });

async function reply(stream: boolean, fields: object = {}): Promise<ResponseShape> {
  const { status, body } = await sent({ input: "Look", stream, ...fields });
  expect(status).toBe(200);
  if (!stream) return responseShape.parse(JSON.parse(body));
  const { response } = followResponse(body);
  if (response === null) throw new Error("The stream was cut.");
  return response;
}

/** The second turn of a conversation, with references in place of what came back. */
const goOn = ({ output }: ResponseShape, more: Sent = {}) =>
  sent(
    {
      input: [
        user("Look"),
        ...output.map(({ id }) => ({ type: "item_reference", id })),
        { type: "function_call_output", call_id: "call_1", output: "empty" },
      ],
    },
    more,
  );

async function expectGone(answer: Awaited<ReturnType<typeof sent>>): Promise<void> {
  expect(answer.status).toBe(400);
  const { code, param, message } = errorOf(answer.json);
  expect({ code, param }).toEqual({ code: "invalid_value", param: "input[3].id" });
  expect(message).toContain("'store: false'");
  expect(message).toContain("'.chat()'");
}

describe("a reference to an item of an earlier reply", () => {
  it.each([false, true])(
    "is replaced by the reasoning, text or call it refers to (stream: %s)",
    async (stream) => {
      const first = await reply(stream);
      expect(first.output).toMatchObject([
        { type: "reasoning" },
        { type: "message" },
        { type: "function_call", name: "read", namespace: "files", arguments: '{"a":1}' },
      ]);
      expect((await goOn(first)).status).toBe(200);
      expect(server.engine.generations.at(-1)?.messages).toEqual([
        user("Look"),
        {
          role: "assistant",
          content: "Let me look.",
          reasoning: "Hm.",
          toolCalls: [{ id: "call_1", name: "files__read", arguments: '{"a":1}' }],
        },
        { role: "tool", content: "empty", toolCallId: "call_1" },
      ]);
    },
  );

  it("is never resolved for another account", async () => {
    const first = await reply(false);
    await expectGone(await goOn(first, { key: server.addKey("sk-other", { accountId: "acc_other" }) }));
  });

  it("is resolved for another key of the same account", async () => {
    const key = server.addKey("sk-one", { accountId: "acc_shared" });
    const { body } = await sent({ input: "Look" }, { key });
    const second = server.addKey("sk-two", { accountId: "acc_shared" });
    expect((await goOn(responseShape.parse(JSON.parse(body)), { key: second })).status).toBe(200);
  });

  it("is refused after ten minutes", async () => {
    const first = await reply(false);
    clock.advance(10 * 60_000);
    await expectGone(await goOn(first));
  });

  it("is refused when the reply was asked for with 'store: false'", async () => {
    await expectGone(await goOn(await reply(true, { store: false })));
  });

  it("is refused when the account was forgotten", async () => {
    const first = await reply(false);
    server.parts.recentItems?.forgetAccount("acc_0");
    await expectGone(await goOn(first));
  });

  it("is refused where the operator switched it off", async () => {
    await server.close();
    server = await startServer({ itemMemory: false });
    server.engine.script = () => ({ fragments: ["a"] });
    const { output } = await reply(false);
    const answer = await sent({ input: [{ type: "item_reference", id: output[0]?.id }, user("x")] });
    expect(errorOf(answer.json)).toMatchObject({ code: "invalid_value", param: "input[0].id" });
  });

  it("leaves nothing of a reply that failed", async () => {
    server.engine.script = () => ({ fragments: ["a", "b"], endsEarly: true });
    const { items } = followResponse((await sent({ input: "x", stream: true })).body);
    expect(items).toHaveLength(1);
    expect(server.parts.recentItems?.size.items).toBe(0);
  });

  it("to nothing is refused after errors of other fields, and before a model that does not exist", async () => {
    const missing = [{ type: "item_reference", id: "msg_missing" }, user("x")];
    const answer = await sent({ input: missing, temperature: 3 });
    expect(errorOf(answer.json).param).toBe("temperature");
    expect((await sent({ input: missing, model: "gpt-4o" })).status).toBe(400);
  });

  it("is found by the thread for large bodies in the same way", async () => {
    await server.close();
    const parseWorkerFile = resolve("dist/parse-worker.js");
    server = await startServer({ bodyLimitBytes: 1_000_000, parseWorkerFile });
    server.engine.script = () => ({ fragments: ["Fine."] });
    const { output } = await reply(false);
    const answer = await sent({
      input: [user("a"), { type: "item_reference", id: output[0]?.id }, user("b")],
      metadata: { a: "x".repeat(200_000) },
    });
    expect(answer.status).toBe(200);
    expect(server.engine.generations.at(-1)?.messages[1]).toEqual({ role: "assistant", content: "Fine." });
  });
});
