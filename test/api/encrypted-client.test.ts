/** The published client of the protocol, unmodified, as `fetch` of the openai package, past a proxy that records. */
import { createTransport, KeyConfigMismatchError, type Transport } from "ehbp";
import OpenAI, { BadRequestError, NotFoundError } from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingProxy } from "../support/clients/recording-proxy.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const mark = "quokka-7f3a91";
const messages = [{ role: "user" as const, content: `Tell me about the ${mark}.` }];
const tools = [
  { type: "function" as const, function: { name: `look_up_${mark.replaceAll("-", "_")}`, parameters: {} } },
];

let server: TestServer;
let proxy: RecordingProxy;
let clock: FakeClock;
let transport: Transport;
let client: OpenAI;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startServer({ proof: {}, clock });
  proxy = await RecordingProxy.start(server.port);
  transport = await createTransport(proxy.url);
  client = new OpenAI({
    baseURL: `${proxy.url}/v1`,
    apiKey: server.apiKey,
    maxRetries: 0,
    fetch: (input, init) => transport.request(input, init),
  });
  server.engine.script = ({ messages: [first] }) => ({
    fragments: ["You said: ", ...(first?.content ?? "").split(/(?<= )/)],
  });
});
afterEach(async () => {
  await proxy.close();
  await server.close();
});

/** After the exchange: something was recorded, and the mark is nowhere in it. */
function expectHidden(): void {
  expect(proxy.record).toMatch(/^ehbp-encapsulated-key: /im);
  expect(proxy.record).not.toContain(mark);
  expect(proxy.record).not.toContain("quokka");
  expect(proxy.record).not.toContain("You said");
}

describe("the ehbp package with the openai package", () => {
  it("gets a whole reply", async () => {
    const reply = await client.chat.completions.create({ model: "omega", messages });
    expect(reply.choices[0]?.message.content).toContain(mark);
    expectHidden();
  });

  it("gets a streamed reply in pieces", async () => {
    const stream = await client.chat.completions.create({ model: "omega", messages, stream: true });
    const pieces: string[] = [];
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? "");
    expect(pieces.join("")).toContain(mark);
    expect(pieces.length).toBeGreaterThan(4);
    expectHidden();
  });

  it("gets calls of tools, whole and streamed", async () => {
    server.engine.script = () => ({
      fragments: [{ call: tools[0]?.function.name ?? "" }, { arguments: `{"about":"${mark}"}` }],
      finishReason: "tool_calls",
    });
    const reply = await client.chat.completions.create({ model: "omega", messages, tools });
    expect(JSON.stringify(reply.choices[0]?.message.tool_calls)).toContain(mark);
    const stream = client.chat.completions.stream({ model: "omega", messages, tools });
    expect(JSON.stringify(await stream.finalChatCompletion())).toContain(mark);
    expect(proxy.record).not.toContain(mark.replaceAll("-", "_"));
    expectHidden();
  });

  it("gets a reply of the Responses API", async () => {
    const reply = await client.responses.create({ model: "omega", input: messages, store: false });
    expect(reply.output_text).toContain(mark);
    expectHidden();
  });

  it("gets errors as the openai package's own", async () => {
    const unknown = client.chat.completions.create({ model: `gone-${mark}`, messages });
    await expect(unknown).rejects.toThrow(NotFoundError);
    const invalid = client.chat.completions.create({ model: "omega", messages, temperature: 9 });
    await expect(invalid).rejects.toThrow(BadRequestError);
    await expect(invalid).rejects.toMatchObject({ param: "temperature" });
    expect(proxy.record).not.toContain("temperature");
    expectHidden();
  });

  it("is told when its key has expired, and goes on with a new one", async () => {
    clock.advance(2 * 24 * 60 * 60_000);
    await expect(transport.request(`${proxy.url}/v1/chat/completions`, post())).rejects.toThrow(
      KeyConfigMismatchError,
    );
    transport = await createTransport(proxy.url);
    await client.chat.completions.create({ model: "omega", messages });
    expectHidden();
  });
});

const post = (): RequestInit => ({
  method: "POST",
  headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
  body: JSON.stringify({ model: "omega", messages }),
});
