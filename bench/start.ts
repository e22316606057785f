/**
 * Processor time of a start, user and system, all threads: a bare Node, `sotto --version`, `sotto keys list`, and a
 * server until it listens. Weights are excluded: a tiny model is used, loaded on demand. The minimum of several
 * alternating rounds, since other load on the machine only adds to it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { newDataDir, runSotto } from "../test/support/processes/sotto-process.js";
import { servedBy } from "../test/support/processes/tiny-sotto.js";
import { writeTinyGguf } from "../test/support/engines/tiny-gguf.js";

const rounds = 8;
const email = "ada@example.com";

/** Runs before the program: reports what the process used, and ends a server when it listens. */
const meter = `
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write("\\nprocessor " + (user + system) / 1e6 + "\\n");
  });
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    if (String(text).includes("is listening at")) process.exit();
    return write(text, ...rest);
  };`;

export async function benchStart(): Promise<void> {
  const dataDir = newDataDir();
  const weights = join(dataDir, "tiny.gguf");
  writeTinyGguf(weights);
  // Nothing else of this environment: a file of certificates (NODE_EXTRA_CA_CERTS) doubles the time of a bare Node.
  const env = {
    PATH: process.env.PATH,
    SOTTO_DATA_DIR: dataDir,
    SOTTO_PORT: "0",
    SOTTO_ENGINE_IDLE_UNLOAD_MINUTES: "10",
    ...servedBy(weights),
  };
  await runSotto(["accounts", "create", email], env);
  const programs = [
    { name: "node -e 0", args: ["-e", "0"], target: "" },
    { name: "sotto --version", args: ["bin/sotto.js", "--version"], target: "0.15 s" },
    { name: "sotto keys list", args: ["bin/sotto.js", "keys", "list", email], target: "0.4 s" },
    { name: "sotto serve, until it listens", args: ["bin/sotto.js", "serve"], target: "0.8 s" },
  ].map((program) => ({ ...program, leastS: Infinity }));
  try {
    for (let round = 0; round < rounds; round++)
      for (const program of programs)
        program.leastS = Math.min(program.leastS, await processorSeconds(program.args, env));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  const bareS = programs[0]?.leastS ?? NaN;
  console.log("                                processor time   of a bare Node   target");
  for (const { name, leastS, target } of programs)
    console.log(
      `${name.padEnd(30)} ${leastS.toFixed(3).padStart(13)} s ${(leastS / bareS).toFixed(1).padStart(16)}   ${target}`,
    );
}

async function processorSeconds(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const preload = `data:text/javascript,${encodeURIComponent(meter)}`;
  const child = spawn(process.execPath, ["--import", preload, ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errors] = await Promise.all([text(child.stderr), once(child, "close")]);
  const seconds = /^processor (\S+)$/m.exec(errors)?.[1];
  if (seconds === undefined || child.exitCode !== 0) throw new Error(`${args.join(" ")} failed:\n${errors}`);
  return Number(seconds);
}
