/**
 * `npm run test:codex`: the real Codex CLI against the real server, on an engine that is scripted to read a file and to
 * call a tool of an MCP server before it answers. Codex comes from npm, once, into node_modules/.cache: it is far too
 * large for everyone who installs Sotto. It can reach nothing but this machine.
 */
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Generation } from "../src/core/serving/engine-port.js";
import { startServer, type TestServer } from "../test/support/processes/server.js";
import type { Script } from "../test/support/engines/fake-engine.js";
import { cachedPackage } from "./npm-cache.js";

const version = "0.166.0";
const timeoutMs = 60_000;
const secret = "The heron sleeps at noon.";
const answer = "The file is about a heron.";
const shelf = "birds";
const counted = `There are 42 books on the shelf ${shelf}.`;

const mcpServer = fileURLToPath(new URL("../test/support/processes/mcp-server.ts", import.meta.url));

const startedMs = performance.now();
const codex = join(cachedPackage("@openai/codex", version), ".bin/codex");
const server = await startServer({ bodyLimitBytes: 4_000_000, engine: { contextTokens: 100_000 } });
const folder = mkdtempSync(join(tmpdir(), "sotto-codex-"));
try {
  server.engine.script = readThenAnswer;
  const { code, output } = await runCodex(server, folder);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(answer), output);
  requireConversation(server.engine.generations);
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(`Codex ${version}: a question, a command, a tool of an MCP server, an answer in ${seconds} s`);

function readThenAnswer({ messages, tooling }: Generation): Script {
  const offered = (name: string): string => {
    const found = tooling?.tools.find((tool) => tool.name === name);
    assert.ok(found !== undefined, `Codex offers no '${name}' as a function.`);
    return found.name;
  };
  switch (messages.filter(({ role }) => role === "tool").length) {
    case 0:
      return calling("I will look at it.", offered("exec_command"), "call_0123456789", {
        cmd: "cat note.txt",
      });
    case 1:
      return calling("I will count.", offered("mcp__library__count_books"), "call_1123456789", { shelf });
    default:
      return { fragments: ["The file is ", "about a heron."] };
  }
}

function calling(before: string, call: string, id: string, input: object): Script {
  const text = JSON.stringify(input);
  return {
    fragments: [
      { reasoning: "I should look." },
      before,
      { call, id },
      { arguments: text.slice(0, 9) },
      { arguments: text.slice(9) },
    ],
    finishReason: "tool_calls",
  };
}

async function runCodex(
  { baseURL, apiKey }: TestServer,
  home: string,
): Promise<{ code: number | null; output: string }> {
  const work = join(home, "work");
  mkdirSync(work);
  writeFileSync(join(work, "note.txt"), secret);
  writeFileSync(join(home, "config.toml"), configuration(baseURL));
  // The command is ours, and sandboxes need more of the machine than some build machines give.
  const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const child = spawn(codex, [...args, "What is note.txt about?"], {
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CODEX_HOME: home,
      SOTTO_API_KEY: apiKey,
      // Nobody listens there: whatever else it wants to reach is unreachable.
      HTTPS_PROXY: "http://127.0.0.1:9",
      HTTP_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.timeout(timeoutMs),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  await once(child, "close");
  return { code: child.exitCode, output };
}

function configuration(baseURL: string): string {
  return `
model = "omega"
model_provider = "sotto"
check_for_update_on_startup = false

[model_providers.sotto]
name = "Sotto"
base_url = "${baseURL}"
env_key = "SOTTO_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[mcp_servers.library]
command = ${JSON.stringify(process.execPath)}
args = ["--import", ${JSON.stringify(import.meta.resolve("tsx"))}, ${JSON.stringify(mcpServer)}]
required = true
startup_timeout_sec = 60
`;
}

/** What the model was given: the rules first, then the question, its own turns whole, and what both tools returned. */
function requireConversation(generations: readonly Generation[]): void {
  assert.equal(generations.length, 3);
  const { messages = [], tooling } = generations[2] ?? {};
  assert.equal(messages[0]?.role, "system");
  assert.ok(messages.slice(1).every(({ role }) => role !== "system"));
  const [question, turn, result, secondTurn, secondResult] = messages.slice(-5);
  assert.match(question?.content ?? "", /note\.txt/);
  assert.equal(turn?.role, "assistant");
  assert.equal(turn.content, "I will look at it.");
  assert.deepEqual(
    turn.toolCalls?.map(({ id, name }) => [id, name]),
    [["call_0123456789", "exec_command"]],
  );
  assert.equal(result?.toolCallId, "call_0123456789");
  assert.ok(result.content.includes(secret), "The command's output did not come back.");
  // Codex sends it back in the namespace of its server, and it is the same function to the model.
  assert.deepEqual(secondTurn?.toolCalls, [
    { id: "call_1123456789", name: "mcp__library__count_books", arguments: JSON.stringify({ shelf }) },
  ]);
  assert.equal(secondResult?.toolCallId, "call_1123456789");
  assert.ok(secondResult.content.includes(counted), "The MCP server's result did not come back.");
  assert.ok(tooling?.tools.every(({ name }) => name !== "web_search"));
}
