import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Prompt } from "../../src/cli/chat/prompt.js";
import { printable } from "../../src/cli/chat/reply.js";
import { CommandLine } from "./run.js";

let sotto: CommandLine;
let service: Server;
let url: string;
let asked: unknown;
let status: number;

beforeEach(async () => {
  sotto = await CommandLine.open();
  status = 200;
  service = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      asked = { body: JSON.parse(body) as unknown, key: request.headers.authorization };
      response.statusCode = status;
      if (status !== 200) {
        response.end(JSON.stringify({ error: { message: "Invalid API key." } }));
        return;
      }
      for (const content of ["Par", "is\u001b[2J."]) {
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
      }
      response.end("data: [DONE]\n\n");
    });
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const address = service.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  service.close();
  await sotto.dispose();
});

describe("sotto chat", () => {
  const env = { SOTTO_API_KEY: "sk-sotto-x" };

  it("sends what is piped in and prints the reply, without what could control a terminal", async () => {
    const args = ["chat", "--url", url, "--model", "prism", "--system", "Be brief."];
    const result = await sotto.start(args, { input: "The capital\nof France?", env });
    expect(result).toEqual({ code: 0, stdout: "Paris[2J.\n", stderr: "" });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "The capital\nof France?" },
    ];
    expect(asked).toEqual({ body: { model: "prism", messages, stream: true }, key: "Bearer sk-sotto-x" });
  });

  it("says why the service refuses, and ends with 1", async () => {
    status = 401;
    const result = await sotto.start(["chat", "--url", url], { input: "Hi", env });
    expect(result).toEqual({ code: 1, stdout: "", stderr: "error: Invalid API key.\n" });
  });

  it("wants a key where nobody can be asked for one", async () => {
    const { code, stderr } = await sotto.start(["chat", "--url", url], { input: "Hi" });
    expect(code).toBe(2);
    expect(stderr).toMatch(/set SOTTO_API_KEY to a key\. Create one: \S*node\S* dist\/main\.js keys create/);
  });
});

describe("what is typed", () => {
  const ask = (typed: string) => {
    const input = new PassThrough();
    const answer = new Prompt(input, new PassThrough(), "> ").ask();
    input.write(typed);
    return answer;
  };

  it.each([
    ["one line", "Hello\r", "Hello"],
    ["pasted lines, sent by the next Enter", "\u001b[200~a\nb\n\u001b[201~c\r", "a\nb\nc"],
    ["a line that continues", "a\\\rb\r", "a\nb"],
    ["the end of the input", "\u0004", null],
    ["Ctrl-C on an empty line", "\u0003", null],
    ["Ctrl-C, which drops what was typed", "abc\u0003d\r", "d"],
  ])("is %s", async (_what, typed, text) => {
    expect(await ask(typed)).toBe(text);
  });
});

it("keeps line breaks and tabs of a reply", () => {
  expect(printable("a\n\tb\u001b\u0007\u009b")).toBe("a\n\tb");
});
