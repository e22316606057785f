/** Images by each API, on a model that sees and on one that reads text only. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { PublicDownloads } from "../../src/adapters/public-download.js";
import { ask, type Answer } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { dataUrl, greyPng, imageQuestions, pngWith, sourceOf } from "../support/inputs/images.js";
import { startServer, type TestServer, type TestServerOptions } from "../support/processes/server.js";

const features = { jsonSchema: true, logprobs: true, tools: true, reasoning: true };
const sentence = "[image omitted: this model reads text only]";
const apis = Object.entries(imageQuestions);

let server: TestServer;
afterEach(() => server.close());

const start = async ({ sees = true, ...options }: TestServerOptions & { sees?: boolean } = {}) => {
  server = await startServer({
    ...options,
    engine: { follows: { ...features, vision: sees }, ...options.engine },
  });
};
const post = (path: string, body: object, headers = {}): Promise<Answer> =>
  ask(server, { path, body, headers });
const messages = () => server.engine.generations.at(-1)?.messages ?? [];
const errorIn = ({ json }: Answer) =>
  (json as { error: { message: string; code?: string; param?: string } }).error;

describe.each(apis)("an image by %s", (name, { path, body, place }) => {
  it("reaches a model that sees, in its place", async () => {
    await start();
    const { status, headers } = await post(path, body());
    expect([status, headers.get("sotto-ignored")]).toEqual([200, null]);
    expect(messages()).toEqual([
      {
        role: "user",
        content: `What is it?\n\n${sentence}`,
        parts: [
          { type: "text", text: "What is it?" },
          { type: "image", url: dataUrl(), path: place },
        ],
      },
    ]);
  });

  it("is streamed about as well", async () => {
    await start();
    expect((await post(path, { ...body(), stream: true })).status).toBe(200);
    expect(messages()[0]?.parts).toHaveLength(2);
  });

  it("is refused or left out by a model that reads text only", async () => {
    await start({ sees: false });
    const answer = await post(path, body());
    if (name === "chat") {
      expect(answer.status).toBe(400);
      expect(errorIn(answer)).toMatchObject({ code: "unsupported_value", param: place });
      expect(errorIn(answer).message).toContain("'omega' reads text only");
      expect(server.engine.generations).toEqual([]);
      return;
    }
    expect([answer.status, answer.headers.get("sotto-ignored")]).toEqual([200, "image"]);
    expect(messages()).toEqual([{ role: "user", content: `What is it?\n\n${sentence}` }]);
  });

  it("is refused or left out as the operator set it for the model", async () => {
    await start({
      sees: false,
      images: { onTextModel: (model) => (model === "omega" ? "omit" : "refuse") },
    });
    const omitted = await post(path, body());
    expect([omitted.status, omitted.headers.get("sotto-ignored")]).toEqual([200, "image"]);
    const refused = await post(path, { ...body(), model: "prism" });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain(place);
  });

  it("has its type read from its bytes", async () => {
    await start();
    expect((await post(path, body(dataUrl().replace("png", "jpeg")))).status).toBe(200);
    expect(messages()[0]?.parts?.[1]).toMatchObject({ url: dataUrl() });
  });

  it.each([
    ["of another type", dataUrl().replace("png", "tiff")],
    ["that is no image", `data:image/png;base64,${Buffer.from("just some text").toString("base64")}`],
    ["in bad base64", dataUrl().replace("AAAA", "A*AA")],
    ["that is cut", dataUrl().slice(0, -1)],
    ["without bytes", "data:image/png;base64,"],
    ["that is a file", "file:///etc/passwd"],
  ])("is refused %s, and not repeated", async (_, url) => {
    await start();
    const answer = await post(path, body(url));
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(place);
    expect(answer.body).not.toContain(url.slice(-30));
  });

  it("comes after the model and the permission in the order of errors", async () => {
    await start({ sees: false, images: { onTextModel: () => "refuse" } });
    expect((await post(path, { ...body(), model: "nope" })).status).toBe(404);
    const key = server.addKey("sk-prism", { models: ["prism"] });
    expect((await ask(server, { path, body: body(), key })).status).toBe(403);
  });

  it("is answered 503 while it is not known whether the engine sees", async () => {
    await start({ sees: false, engine: { state: "starting" } });
    expect((await post(path, body())).status).toBe(503);
  });

  it("is one of a hundred at most", async () => {
    await start({ bodyLimitBytes: 10_000_000 });
    const request: object = body();
    const many = JSON.stringify(request).replace(
      /(\{"type":"(?:image_url|input_image|image)".*\})(\]\}\])/,
      (_all, image: string, end: string) => `${Array(101).fill(image).join(",")}${end}`,
    );
    const answer = await ask(server, { path, body: many });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain("at most 100");
  });

  it("is refused by its address, which reaches no engine", async () => {
    await start();
    const answer = await post(path, body("https://example.com/cat.png"));
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(place);
    expect(answer.body).toContain("does not fetch images");
    expect(answer.body).not.toContain("example.com");
  });
});

describe("an image in a tool's result", () => {
  const seen = [
    { role: "user", content: "Look." },
    { role: "assistant" },
    {
      role: "tool",
      content: `Done\n\n${sentence}`,
      parts: [{ type: "text", text: "Done" }, { type: "image" }],
    },
  ];

  it("is read by the Messages API, also of an error", async () => {
    await start();
    const result = (isError: boolean) => ({
      model: "omega",
      max_tokens: 50,
      messages: [
        { role: "user", content: "Look." },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              is_error: isError,
              content: [
                { type: "text", text: "Done" },
                { type: "image", source: sourceOf(dataUrl()) },
              ],
            },
          ],
        },
      ],
    });
    expect((await post("/v1/messages", result(false))).status).toBe(200);
    expect(messages()).toMatchObject(seen);
    expect((await post("/v1/messages", result(true))).status).toBe(200);
    expect(messages().at(-1)?.parts?.[0]).toEqual({ type: "text", text: "Error:\n\nDone" });
  });

  it("is read by the Responses API", async () => {
    await start();
    const answer = await post("/v1/responses", {
      model: "omega",
      input: [
        { role: "user", content: "Look." },
        { type: "function_call", call_id: "t1", name: "look", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "t1",
          output: [
            { type: "input_text", text: "Done" },
            { type: "input_image", image_url: dataUrl(), detail: "original" },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
    expect(messages()).toMatchObject(seen);
    expect(messages().at(-1)?.parts?.[1]).toMatchObject({ detail: "high" });
  });

  it("is read by chat completions", async () => {
    await start();
    const call = { id: "t1", type: "function", function: { name: "look", arguments: "{}" } };
    const answer = await post("/v1/chat/completions", {
      model: "omega",
      messages: [
        { role: "user", content: "Look." },
        { role: "assistant", content: null, tool_calls: [call] },
        {
          role: "tool",
          tool_call_id: "t1",
          content: [
            { type: "text", text: "Done" },
            { type: "image_url", image_url: { url: dataUrl(), detail: "low" } },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
    expect(messages()).toMatchObject(seen);
  });
});

describe("images elsewhere", () => {
  it("are refused in what the system or the assistant says", async () => {
    await start();
    const content = [{ type: "image_url", image_url: { url: dataUrl() } }];
    for (const role of ["system", "developer", "assistant"]) {
      const body = {
        model: "omega",
        messages: [
          { role, content },
          { role: "user", content: "Hi" },
        ],
      };
      const answer = await post("/v1/chat/completions", body);
      expect(errorIn(answer)).toMatchObject({ param: "messages[0].content[0].type" });
    }
  });

  it("are counted with a message's tokens, or left out", async () => {
    const { body } = imageQuestions.messages;
    await start({ sees: false });
    const answer = await post("/v1/messages/count_tokens", body());
    expect([answer.status, answer.headers.get("sotto-ignored")]).toEqual([200, "image"]);
  });

  it("are named beside tools that were skipped", async () => {
    await start({ sees: false });
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    const claude = { "user-agent": "claude-cli/2.1.0 (external)" };
    const answer = await post("/v1/messages", { ...imageQuestions.messages.body(), tools }, claude);
    expect(answer.headers.get("sotto-ignored")).toBe("web_search, image");
  });

  it("refer to no file of the service", async () => {
    await start();
    const content = [{ type: "image", source: { type: "file", file_id: "file_1" } }];
    const body = { model: "omega", max_tokens: 5, messages: [{ role: "user", content }] };
    expect((await post("/v1/messages", body)).body).toContain("stores no files");
  });

  it("are announced in the list of models", async () => {
    await start();
    const { json } = await ask(server, { method: "GET", path: "/v1/models/omega" });
    expect(json).toMatchObject({ capabilities: { vision: true } });
  });
});

describe("the size of a body", () => {
  const { path, body } = imageQuestions.chat;
  const large = (bytes: number) => body(dataUrl(pngWith(Buffer.alloc(bytes, 1))));

  it("may be larger for images than for text", async () => {
    await start({ bodyLimitBytes: 10_000, imageBodyLimitBytes: 200_000 });
    expect((await post(path, large(100_000))).status).toBe(200);
    expect(
      (await post("/v1/responses", imageQuestions.responses.body(dataUrl(pngWith(Buffer.alloc(100_000))))))
        .status,
    ).toBe(200);
    expect(errorIn(await post(path, large(200_000)))).toMatchObject({ code: "request_too_large" });
    const text = { model: "omega", messages: [{ role: "user", content: "x".repeat(20_000) }] };
    const refused = await post(path, text);
    expect(errorIn(refused)).toMatchObject({ code: "request_too_large" });
    expect(errorIn(refused).message).toContain("at most 10000 bytes without its images");
  });

  it("is the same in chunks of unknown length", async () => {
    await start({ bodyLimitBytes: 70_000, imageBodyLimitBytes: 400_000 });
    const text = JSON.stringify(large(200_000));
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
      body: new Blob([text]).stream(),
      duplex: "half",
    });
    expect(response.status).toBe(200);
    await response.text();
  });

  it("is held for an account until its images are answered, and then given back", async () => {
    const options = { bodyLimitBytes: 10_000, imageBodyLimitBytes: 100_000, bodyWaitMs: 3_000 };
    await start({ ...options, engine: { capacity: 100 } });
    server.engine.hold();
    const running = Array.from({ length: 5 }, () => post(path, large(60_000)));
    await eventually(() => server.engine.active === 4 || server.engine.active === 5);
    const more = await Promise.all(Array.from({ length: 3 }, () => post(path, large(60_000))));
    expect(more.map(({ status }) => status)).toContain(503);
    // Text is not held up, nor is another account.
    server.engine.release();
    expect((await Promise.all(running)).some(({ status }) => status === 200)).toBe(true);
    for (let turn = 0; turn < 10; turn++) expect((await post(path, large(60_000))).status).toBe(200);
  });

  it("is given back early where images are left out", async () => {
    const options = { bodyLimitBytes: 10_000, imageBodyLimitBytes: 100_000, bodyWaitMs: 600_000 };
    await start({
      ...options,
      sees: false,
      images: { onTextModel: () => "omit" },
      engine: { capacity: 100 },
    });
    server.engine.hold();
    const running = Array.from({ length: 12 }, () => post(path, large(60_000)));
    await eventually(() => server.engine.active === 12);
    server.engine.release();
    expect((await Promise.all(running)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe("an image that is fetched", () => {
  let origin: Server;
  let downloads: PublicDownloads;
  const fetched: string[] = [];
  afterEach(async () => {
    await downloads.close();
    origin.closeAllConnections();
    origin.close();
  });

  /** Serves images on this machine, which only a test may fetch. */
  async function startWithOrigin(options: { isPublic?: boolean } = {}): Promise<string> {
    origin = createServer((request, response) => {
      fetched.push(request.url ?? "");
      if (request.url === "/moved") response.writeHead(302, { location: "/cat.png" }).end();
      else if (request.url === "/page") response.end("<html>");
      else if (request.url === "/huge") response.end(Buffer.alloc(21 * 1024 * 1024));
      else response.end(Buffer.from(greyPng, "base64"));
    });
    origin.listen(0, "127.0.0.1");
    await once(origin, "listening");
    fetched.length = 0;
    downloads = new PublicDownloads(options.isPublic === false ? undefined : () => true, true);
    await start({
      imageBodyLimitBytes: 32 * 1024 * 1024,
      images: { onTextModel: () => "auto", download: downloads.download },
    });
    return `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  }

  it.each(apis)("reaches the model as if it had been sent, by %s", async (_, { path, body }) => {
    const url = await startWithOrigin();
    expect((await post(path, body(`${url}/cat.png`))).status).toBe(200);
    expect(messages()[0]?.parts?.[1]).toMatchObject({ url: dataUrl() });
    expect(fetched).toEqual(["/cat.png"]);
  });

  it.each([
    ["is a redirect", "/moved", "status 302"],
    ["is no image", "/page", "not that of a PNG"],
    ["is too large", "/huge", "too large"],
  ])("is refused where it %s", async (_, at, why) => {
    const url = await startWithOrigin();
    const { path, body, place } = imageQuestions.chat;
    const answer = await post(path, body(url + at));
    expect(errorIn(answer)).toMatchObject({ code: "invalid_value", param: place });
    expect(errorIn(answer).message).toContain(why);
    expect(answer.body).not.toContain(url);
  });

  it("never comes from this machine or a private network", async () => {
    const url = await startWithOrigin({ isPublic: false });
    const { path, body } = imageQuestions.chat;
    const { port } = new URL(url);
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::ffff:127.0.0.1]",
      "169.254.169.254",
      "[64:ff9b::a00:1]",
    ]) {
      const answer = await post(path, body(`http://${host}:${port}/cat.png`));
      expect([host, answer.status, errorIn(answer).message]).toEqual([
        host,
        400,
        expect.stringContaining("only public"),
      ]);
    }
    expect(fetched).toEqual([]);
  });
});
