import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectModel, type ConnectTarget } from "../../src/protocol/connect/client.js";
import { findClient } from "../../src/protocol/connect/clients.js";
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

function codeOf(id: string, key: string | null, stream: boolean): string {
  const models = [connectModel("omega", null, null)];
  const target: ConnectTarget = { origin: server.url, key, model: "omega", models, stream };
  const code = findClient(id)
    ?.configure(target)
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

it("the environment variables are all that a program with the library needs", async () => {
  const lines = codeOf("environment", server.apiKey, false).matchAll(/^export (\w+)="(.*)"$/gm);
  const variables = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
  expect(Object.keys(variables)).toEqual(["OPENAI_BASE_URL", "OPENAI_API_KEY"]);
  const program = `import OpenAI from "openai";
    const messages = [{ role: "user", content: "Hello" }];
    const reply = await new OpenAI().chat.completions.create({ model: "omega", messages });
    console.log(reply.choices[0].message.content);`;
  const output = await run(process.execPath, ["--input-type=module", "-"], program, variables);
  expect(output.trim()).toBe("Hello from omega.");
});
