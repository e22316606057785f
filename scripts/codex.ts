/**
 * `npm run test:codex`: the real Codex CLI against the real server, on a scripted engine: it reads a file and calls a
 * tool of an MCP server before it answers, then holds a session of ten turns that edit a file, and one whose
 * conversation it has compacted. Codex is installed from npm once, into node_modules/.cache: it is too large for a
 * dependency. It can reach nothing but this machine.
 */
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Generation } from "../src/core/serving/engine-port.js";
import type { Script } from "../test/support/engines/fake-engine.js";
import {
  answerOf,
  calling,
  hasResult,
  linesAfter,
  questionOf,
  requireAllAnswered,
  requireNeeds,
  startAgentTest,
  turnOf,
  turns,
} from "./coding-agent.js";
import { cachedPackage } from "./npm-cache.js";

const version = "0.166.0";
const timeoutMs = 60_000;
const secret = "The heron sleeps at noon.";
const answer = "The file is about a heron.";
const shelf = "birds";
const counted = `There are 42 books on the shelf ${shelf}.`;

const mcpServer = fileURLToPath(new URL("../test/support/processes/mcp-server.ts", import.meta.url));

/** Behind the settings of the Connect page. */
const mcpSettings = `
[mcp_servers.library]
command = ${JSON.stringify(process.execPath)}
args = ["--import", ${JSON.stringify(import.meta.resolve("tsx"))}, ${JSON.stringify(mcpServer)}]
required = true
startup_timeout_sec = 60
`;

const startedMs = performance.now();
const codex = join(cachedPackage("@openai/codex", version), ".bin/codex");
const { server, client, file: settings } = await startAgentTest("codex");
const home = mkdtempSync(join(tmpdir(), "sotto-codex-"));
const work = join(home, "work");
const notes = join(work, "notes.md");
let needs: string;
try {
  mkdirSync(work);
  writeFileSync(join(work, "note.txt"), secret);
  writeFileSync(notes, linesAfter(0));

  writeFileSync(join(home, "config.toml"), settings + mcpSettings);
  server.engine.script = readThenAnswer;
  const { code, output } = await runCodex("What is note.txt about?", []);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(answer), output);
  requireConversation(server.engine.generations);
  needs = requireNeeds(client, server.engine.generations[0]);

  writeFileSync(join(home, "config.toml"), settings);
  server.engine.script = edit;
  for (const turn of turns) await requireTurn(turn);
  await requireCompaction();
  requireAllAnswered(server, "/v1/responses");
} finally {
  await server.close();
  rmSync(home, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(
  `Codex ${version}: a command, a tool of an MCP server, then ${turns.length} turns of edits and a compaction, ${needs}, in ${seconds} s`,
);

/** The session is resumed from its file, with all that was said before. */
async function requireTurn(turn: number): Promise<void> {
  const { code, output } = await runCodex(questionOf(turn), turn === 1 ? [] : ["resume", "--last"]);
  assert.equal(code, 0, output);
  assert.ok(output.includes(answerOf(turn)), output);
  assert.equal(readFileSync(notes, "utf8"), linesAfter(turn));
  assert.ok(
    server.engine.generations.at(-1)?.messages.some(({ content }) => content === questionOf(1)),
    "what was said before is missing",
  );
}

/**
 * Codex asks a service for compaction where it is called OpenAI, and compacts by itself elsewhere. The second turn has
 * the summary in place of what was said.
 */
async function requireCompaction(): Promise<void> {
  const named = settings.replace(/^name = .*$/m, 'name = "OpenAI"');
  writeFileSync(join(home, "config.toml"), `model_auto_compact_token_limit = 1000\n${named}`);
  server.engine.script = ({ messages }) => ({
    fragments: [/Write a summary/.test(messages.at(-1)?.content ?? "") ? secret : answer],
  });
  for (const command of [[], ["resume", "--last"]]) {
    const { code, output } = await runCodex("What sleeps at noon?", command);
    assert.equal(code, 0, output);
    assert.ok(output.includes(answer), output);
  }
  const said = server.engine.generations.at(-1)?.messages ?? [];
  assert.ok(
    said.some(({ content }) => content.endsWith(secret)),
    "the summary did not come back",
  );
  assert.ok(
    said.every(({ content }) => content !== answer),
    "the conversation was not replaced",
  );
}

/** By Codex' own way to edit: a patch, which it recognises in a command. */
function edit(generation: Generation): Script {
  const turn = turnOf(generation);
  if (hasResult(generation, `call_edit_${turn}`)) return { fragments: [answerOf(turn)] };
  const change = `@@\n line ${turn - 1}\n+line ${turn}`;
  const patch = `*** Begin Patch\n*** Update File: notes.md\n${change}\n*** End Patch`;
  const cmd = `apply_patch <<'EOF'\n${patch}\nEOF`;
  return calling("I append it.", "exec_command", `call_edit_${turn}`, { cmd });
}

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

async function runCodex(
  question: string,
  command: readonly string[],
): Promise<{ code: number | null; output: string }> {
  // The command is ours, and sandboxes need more of the machine than some build machines give.
  const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  const child = spawn(codex, ["exec", ...command, ...options, question], {
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CODEX_HOME: home,
      SOTTO_API_KEY: server.apiKey,
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
