/**
 * `npm run smoke:claude-code`: the real Claude Code against this service, on a scripted engine: it reads a file and
 * says what it contains, then holds a session of ten turns that edit one. It is installed from npm once, into
 * node_modules/.cache: it is too large for a dependency. It gets its own home and reaches nothing but this service.
 */
import { strict as assert } from "node:assert";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
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
import type { Generation } from "../src/core/serving/engine-port.js";
import type { Script } from "../test/support/engines/fake-engine.js";

const version = "2.1.197";
const timeoutMs = 120_000;
const secret = "The door opens at noon.";
const answer = "It says when the door opens.";

const startedMs = performance.now();
const folder = mkdtempSync(join(tmpdir(), "sotto-claude-code-"));
const file = join(folder, "note.txt");
writeFileSync(file, secret);

const notes = join(folder, "notes.md");
writeFileSync(notes, linesAfter(0));

const { server, client, file: settings } = await startAgentTest("claude-code");
let needs: string;
try {
  server.engine.script = script;
  const output = await whole(
    start("-p", "What does note.txt say?", "--output-format", "json", "--allowedTools", "Read"),
  );
  const result = JSON.parse(output) as Record<string, unknown>;
  assert.equal(result.is_error, false, output);
  assert.equal(result.result, answer);
  assert.equal(result.stop_reason, "end_turn");
  assert.equal(result.num_turns, 2);

  const [first, last] = [server.engine.generations.at(0), server.engine.generations.at(-1)];
  const names = first?.tooling?.tools.map(({ name }) => name) ?? [];
  assert.ok(names.includes("Read"), "its tools are missing");
  const { role, content } = first?.messages[0] ?? { role: "", content: "" };
  assert.equal(role, "system");
  assert.doesNotMatch(content, /billing-header/);
  const read = last?.messages.find(({ role }) => role === "tool");
  assert.match(read?.content ?? "", new RegExp(secret), "the file did not come back as the call's result");

  needs = requireNeeds(client, first);
  server.engine.script = editScript;
  await session();
  assert.equal(readFileSync(notes, "utf8"), linesAfter(turns.length));
  requireAllAnswered(server, "/v1/messages");
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(
  `Claude Code ${version}: read a file, then ${turns.length} turns of edits, ${needs}, in ${seconds} s`,
);

/** Thinks, reads the file once, then answers. */
function script({ messages, tooling }: Generation): Script {
  const canRead = tooling?.tools.some(({ name }) => name === "Read") === true;
  if (!canRead || messages.some(({ role }) => role === "tool"))
    return { fragments: ["It says", answer.slice(7)] };
  return {
    fragments: [
      { reasoning: "I have to read it." },
      "Let me read it.",
      { call: "Read", id: "call_0123456789" },
      { arguments: '{"file_path":' },
      { arguments: `${JSON.stringify(file)}}` },
    ],
    finishReason: "tool_calls",
  };
}

/** It must have read a file before it may edit it. */
function editScript(generation: Generation): Script {
  const turn = turnOf(generation);
  const canEdit = generation.tooling?.tools.some(({ name }) => name === "Edit") === true;
  if (!canEdit || hasResult(generation, `call_edit_${turn}`)) return { fragments: [answerOf(turn)] };
  if (!hasResult(generation, "call_read")) {
    return calling("Let me read it.", "Read", "call_read", { file_path: notes });
  }
  const before = `line ${turn - 1}\n`;
  const edit = { file_path: notes, old_string: before, new_string: `${before}line ${turn}\n` };
  return calling("I append it.", "Edit", `call_edit_${turn}`, edit);
}

/** One process that is asked ten times. */
async function session(): Promise<void> {
  const format = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const child = start("-p", ...format, "--allowedTools", "Read,Edit");
  const ask = (turn: number): void => {
    const message = { role: "user", content: questionOf(turn) };
    child.stdin.write(`${JSON.stringify({ type: "user", message })}\n`);
  };
  let turn = 1;
  ask(turn);
  await ending(child, async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as Record<string, unknown>;
      if (event.type !== "result") continue;
      assert.equal(event.is_error, false, line);
      assert.equal(event.result, answerOf(turn));
      assert.equal(readFileSync(notes, "utf8"), linesAfter(turn));
      turn += 1;
      if (turn <= turns.length) ask(turn);
      else child.stdin.end();
    }
  });
  assert.equal(turn, turns.length + 1, "the session ended early");
}

/** With the settings of the Connect page, in a home of its own. */
function start(...args: string[]): ChildProcessByStdio<Writable, Readable, null> {
  const home = join(folder, "home");
  const configuration = join(home, ".claude");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(configuration, "settings.json"), settings);
  // The launcher finds the program for this machine without an install script.
  const launcher = `${cachedPackage("@anthropic-ai/claude-code", version)}/@anthropic-ai/claude-code/cli-wrapper.cjs`;
  return spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: configuration,
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
}

/** What it prints. */
async function whole(child: ReturnType<typeof start>): Promise<string> {
  child.stdin.end();
  return ending(child, () => text(child.stdout));
}

/** Whatever it started ends with it. */
async function ending<T>(child: ReturnType<typeof start>, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  try {
    const [result] = await Promise.all([work(), once(child, "close")]);
    assert.equal(child.exitCode, 0, String(result));
    return result;
  } finally {
    clearTimeout(timer);
  }
}
