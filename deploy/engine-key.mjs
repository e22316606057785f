/**
 * Runs once before the services of compose.yaml: creates a key for the engine and writes the replicas' configuration
 * file with it. Keys are random, so neither side could know it in advance.
 *
 * It runs on the engine's data directory, before the engine starts. Run again, it keeps a key that is still
 * valid, and creates a new one otherwise.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { argv, env, execPath, exit, stdout } from "node:process";

const [, , file = "/config/sotto.json"] = argv;
const program = env.PROGRAM ?? "/app/dist/main.js";
const url = env.ENGINE_URL ?? "http://engine:8080/v1";
const email = "replicas@engine.internal";
// With the context of the starter that serves it, which an engine of this profile does not report.
const models = { omega: 2048, prism: 2048, lambda: 2048, iota: 512 };

const sotto = (...words) =>
  JSON.parse(execFileSync(execPath, [program, ...words, "--json"], { encoding: "utf8", timeout: 60_000 }));

const accounts = sotto("accounts", "list");
// An admin account without a password: no one can sign in with it, and the engine prints no set-up link.
if (!accounts.some((account) => account.email === email)) sotto("accounts", "create", email, "--admin");

if (isGood(file)) {
  stdout.write("The replicas already have a key for the engine.\n");
  exit(0);
}
const { key } = sotto("keys", "create", email, "--name", "replicas");
const engine = {
  url,
  profile: "openai",
  key,
  // Accepts that the replicas' accounts share the engine's prompt cache, since to the engine they are one account.
  // vLLM and SGLang isolate them and do not need this: docs/upstreams.md.
  acceptSharedCache: true,
  // The starter's usual concurrency.
  maxConcurrent: 8,
};
const settings = Object.fromEntries(
  Object.entries(models).map(([model, contextTokens]) => [
    `models_${model}_upstreams`,
    [{ ...engine, contextTokens, name: model }],
  ]),
);
writeFileSync(`${file}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
renameSync(`${file}.new`, file);
stdout.write("Created a key for the engine and the replicas' configuration.\n");

/** Whether the file has a key that the engine still accepts. The engine stores only its last four characters. */
function isGood(path) {
  if (!existsSync(path)) return false;
  const [member] = JSON.parse(readFileSync(path, "utf8")).models_omega_upstreams;
  const active = sotto("keys", "list", email).filter(({ state }) => state === "active");
  return member.url === url && active.some(({ last_four }) => last_four === member.key.slice(-4));
}
