import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectModel, type ConnectTarget } from "../../src/connect/client.js";
import { findClient } from "../../src/connect/clients.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** As it is shown, in a process of its own: from here the packages are those of the development dependencies. */
async function run(
  program: string,
  args: readonly string[],
  input: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const env = { PATH: process.env["PATH"], SOTTO_API_KEY: server.apiKey, ...variables };
  const child = spawn(program, args, { env, stdio: "pipe" });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.end(input);
  await once(child, "close");
  return output;
}

const targetWith = (key: string | null, stream = false): ConnectTarget => ({
  origin: server.url,
  key,
  model: "omega",
  models: [connectModel("omega", null, null)],
  stream,
});

function codeOf(id: string, key: string | null, stream: boolean): string {
  const code = findClient(id)
    ?.configure(targetWith(key, stream))
    .findLast((part) => part.type === "code");
  return code?.type === "code" ? code.text : "";
}

describe.each([
  ["with the key in it", true],
  ["with the key from the environment", false],
])("code as it is shown, %s,", (_, isFilledIn) => {
  const key = () => (isFilledIn ? server.apiKey : null);

  it.each(["openai-node", "ai-sdk", "langchain-js"])("%s prints the reply", async (id) => {
    const output = await run(process.execPath, ["--input-type=module", "-"], codeOf(id, key(), false));
    expect(output.trim()).toBe("Hello from omega.");
  });

  it("openai-node prints the reply as it is generated", async () => {
    const output = await run(
      process.execPath,
      ["--input-type=module", "-"],
      codeOf("openai-node", key(), true),
    );
    expect(output).toBe("Hello from omega.");
  });

  it("curl prints the reply, whole and as a stream", async () => {
    const whole = await run(
      "bash",
      ["-s"],
      `exec ${codeOf("curl", key(), false).replace("curl ", "curl -s ")}`,
    );
    expect(JSON.parse(whole)).toMatchObject({ choices: [{ message: { content: "Hello from omega." } }] });
    const streamed = await run(
      "bash",
      ["-s"],
      `exec ${codeOf("curl", key(), true).replace("curl ", "curl -s ")}`,
    );
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
  });
});

/** A program that knows nothing of this service but its environment. */
const anyProgram = `import OpenAI from "openai";
  const messages = [{ role: "user", content: "Hello" }];
  const reply = await new OpenAI().chat.completions.create({ model: process.env.MODEL, messages });
  console.log(reply.choices[0].message.content);`;

it("the environment variables are all that a program with the library needs", async () => {
  const lines = codeOf("environment", server.apiKey, false).matchAll(/^export (\w+)="(.*)"$/gm);
  const variables = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
  expect(Object.keys(variables)).toEqual(["OPENAI_BASE_URL", "OPENAI_API_KEY"]);
  const output = await run(process.execPath, ["--input-type=module", "-"], anyProgram, {
    ...variables,
    MODEL: "omega",
  });
  expect(output.trim()).toBe("Hello from omega.");
});

it("base URL, key and model are all that any other client needs", async () => {
  const parts = findClient("openai-compatible")?.configure(targetWith(server.apiKey)) ?? [];
  const rows = parts.flatMap((part) => (part.type === "fields" ? part.rows : []));
  const field = (label: string) => rows.find((row) => row.label === label)?.value ?? "";
  const output = await run(process.execPath, ["--input-type=module", "-"], anyProgram, {
    OPENAI_BASE_URL: field("Base URL"),
    OPENAI_API_KEY: field("API Key"),
    MODEL: field("Model"),
  });
  expect(output.trim()).toBe("Hello from omega.");
});
