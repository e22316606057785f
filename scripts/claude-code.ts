/**
 * `npm run smoke:claude-code`: the real Claude Code against this service, on an engine that is scripted to read a file and
 * then to say what it holds. It comes from npm, once, into node_modules/.cache; it is too large for a dependency. It is
 * given a home of its own and reaches nothing but this service.
 */
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { cachedPackage } from "./npm-cache.js";
import type { Generation } from "../src/core/serving/engine-port.js";
import type { Script } from "../test/support/engines/fake-engine.js";
import { startServer } from "../test/support/processes/server.js";

const version = "2.1.197";
const timeoutMs = 120_000;
const secret = "The door opens at noon.";
const answer = "It says when the door opens.";

const startedMs = performance.now();
const folder = mkdtempSync(join(tmpdir(), "sotto-claude-code-"));
const file = join(folder, "note.txt");
writeFileSync(file, secret);

const server = await startServer({
  bodyLimitBytes: 4 * 1024 * 1024,
  engine: { contextTokens: 200_000, defaultMaxTokens: 32_000 },
});
try {
  server.engine.script = script;
  const output = await claude(
    "-p",
    "What does note.txt say?",
    "--output-format",
    "json",
    "--allowedTools",
    "Read",
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
  const refused = server.logLines.filter(({ route, status }) => route === "/v1/messages" && status !== 200);
  assert.deepEqual(refused, []);
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(`Claude Code ${version}: asked, read a file, answered in ${seconds} s`);

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

/** What it prints. Whatever it started ends with it. */
async function claude(...args: string[]): Promise<string> {
  const home = join(folder, "home");
  mkdirSync(home);
  // The launcher finds the program for this machine without an install script.
  const launcher = `${cachedPackage("@anthropic-ai/claude-code", version)}/@anthropic-ai/claude-code/cli-wrapper.cjs`;
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: server.apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  try {
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    assert.equal(child.exitCode, 0, output);
    return output;
  } finally {
    clearTimeout(timer);
  }
}
