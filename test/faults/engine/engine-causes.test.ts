/** What an operator learns when the engine's process fails: in events, in the engine's status and in the log. */
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startApp, type App } from "../../../src/app/app.js";
import { checkPort } from "../../../src/cli/doctor/network-checks.js";
import { loadConfig } from "../../../src/config.js";
import type { LlamaEngineOptions } from "../../../src/engines/llama/host/llama-engine.js";
import { createLog } from "../../../src/log.js";
import { generationOf, never, replyTo } from "../../contract/engines/engine-contract.js";
import { eventually } from "../../support/eventually.js";
import { childrenOf } from "../../support/processes/children.js";
import { answersPings, fakeWorkerIn, finishes, loadsAndPrepares } from "../../support/engines/fake-worker.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";

const { engine: config } = loadConfig({ env: {} });
const timing = { firstRestartMs: 20 };
/** Deadline for what needs several processes to start, on a machine that is busy with other tests. */
const slowMs = 20_000;
const missing = "libgomp.so.1: cannot open shared object file: No such file or directory";

const folder = mkdtempSync(join(tmpdir(), "sotto-causes-"));
const started: TinyEngine[] = [];
const apps: App[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((tiny) => tiny.dispose()));
  await Promise.all(apps.splice(0).map((app) => app.close()));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function start(options: Partial<LlamaEngineOptions> = {}): TinyEngine {
  const tiny = startTinyEngine({}, { timing, ...options });
  started.push(tiny);
  return tiny;
}

const pidOf = ({ engine }: TinyEngine): number => {
  if (engine.pid === undefined) throw new Error("there is no child process");
  return engine.pid;
};
const exits = ({ events }: TinyEngine) => events.filter(({ type }) => type === "exited");
const problemOf = ({ engine }: TinyEngine) => engine.status("omega").problem;

/** A service with this program in the place of the engine's, and what it logs. */
async function startService(workerFile: string) {
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights);
  const names = ["OMEGA", "PRISM", "LAMBDA"].map((model): [string, string] => [
    `SOTTO_MODELS_${model}_WEIGHTS`,
    weights,
  ]);
  const env = {
    SOTTO_DATA_DIR: mkdtempSync(join(folder, "data-")),
    SOTTO_PORT: "0",
    SOTTO_ENGINE_GPU: "off",
  };
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string) => void logLines.push(JSON.parse(line) as Record<string, unknown>);
  const app = await startApp(loadConfig({ env: { ...env, ...Object.fromEntries(names) } }), {
    workerFile,
    log: createLog("trace", { write }),
  });
  apps.push(app);
  return { app, logLines };
}

describe("an engine that does not load", () => {
  it.each([
    ["a missing library", missing, "LIBRARY_MISSING", /npm ci/],
    [
      "an abort",
      "/src/ggml/src/ggml.c:1787: GGML_ASSERT(ctx->mem_buffer != NULL) failed",
      "CRASHED",
      /GGML_ASSERT/,
    ],
    [
      "a lack of memory",
      "terminate called after throwing an instance of 'std::bad_alloc'",
      "OUT_OF_MEMORY",
      /smaller/,
    ],
  ])("is explained by what its process printed: %s", async (_, words, cause, advice) => {
    const dies = `process.stderr.write("starting\\n" + ${JSON.stringify(words)} + "\\n", () => process.abort());`;
    const tiny = start({ workerFile: fakeWorkerIn(folder, "", dies) });
    await expect(tiny.engine.ready()).rejects.toThrow(words);
    expect(problemOf(tiny)).toMatchObject({ cause, text: expect.stringMatching(advice) as string });
    expect(problemOf(tiny)?.text).toContain(words);
  });

  it("keeps a bounded part of its process's output", async () => {
    const floods = `process.stderr.write("x".repeat(5e6) + "\\n${missing}\\n", () => process.exit(1));`;
    const tiny = start({ workerFile: fakeWorkerIn(folder, "", floods) });
    await expect(tiny.engine.ready()).rejects.toThrow(missing);
    expect(problemOf(tiny)?.text.length).toBeLessThan(600);
  });

  it("still says why after it has been restarted, until it loads", async () => {
    const gate = join(folder, "gate");
    const failsOnce = `if (message.type === "load") {
        if (firstTime()) send({ type: "load_failed", reason: ${JSON.stringify(missing)} }, () => process.exit(1));
        else setInterval(() => existsSync(${JSON.stringify(gate)}) && loaded(), 20);
      }`;
    const tiny = start({ workerFile: fakeWorkerIn(folder, failsOnce) });
    await expect(tiny.engine.ready()).rejects.toThrow(missing);
    await eventually(
      () => tiny.engine.status("omega").restarts === 1 && tiny.engine.pid !== undefined,
      slowMs,
    );
    expect(problemOf(tiny)).toMatchObject({ cause: "LIBRARY_MISSING" });
    writeFileSync(gate, "");
    await eventually(() => tiny.engine.status("omega").state === "ready", slowMs);
    expect(problemOf(tiny)).toBeUndefined();
  });

  it("logs the cause and the words of the library; readyz and doctor name the cause after a restart", async () => {
    const dies = `process.stderr.write(${JSON.stringify(`Error: ${missing}\n`)}, () => process.exit(127));`;
    const { app, logLines } = await startService(fakeWorkerIn(folder, "", dies));
    await expect(app.ready()).rejects.toThrow(missing);
    await eventually(() => app.engine.status("omega").restarts > 0, slowMs);
    expect(logLines).toContainEqual(
      expect.objectContaining({ msg: "engine did not load", cause: "LIBRARY_MISSING", loadError: missing }),
    );
    expect(logLines).toContainEqual(
      expect.objectContaining({ msg: "engine exited", exitCode: 127, cause: "EXITED" }),
    );
    const answer = (await (await fetch(`${app.url}/readyz`)).json()) as Record<string, unknown>;
    expect(answer).toMatchObject({ causes: { omega: "LIBRARY_MISSING" } });
    const running = loadConfig({ env: { SOTTO_PORT: String(app.port) } });
    expect(await checkPort(running, { probe: false })).toMatchObject([
      { name: "port", detail: expect.stringContaining("omega: LIBRARY_MISSING") as string },
    ]);
  });

  it("reports a damaged file, and what to do", async () => {
    const weights = join(folder, "garbage.gguf");
    writeFileSync(weights, "this is no model");
    const tiny = start({ weights });
    await expect(tiny.engine.ready()).rejects.toThrow(/./);
    expect(problemOf(tiny)).toMatchObject({
      cause: "WEIGHTS_DAMAGED",
      text: expect.stringMatching(/damaged or incomplete.*sotto models/) as string,
    });
  });
});

describe("an engine's process that ends", () => {
  it("was killed by the system, unless the kill was ours", async () => {
    const tiny = start();
    await tiny.engine.ready();
    process.kill(pidOf(tiny), "SIGKILL");
    await eventually(() => exits(tiny).length === 1);
    expect(exits(tiny)).toMatchObject([{ signal: "SIGKILL", cause: "KILLED_BY_SYSTEM" }]);
    expect(problemOf(tiny)?.text).toContain("killed by the system, probably out of memory");
  });

  it("was killed by the watchdog when it did not respond", async () => {
    const workerFile = fakeWorkerIn(folder, loadsAndPrepares + answersPings);
    const tiny = start({ timing: { ...timing, tickMs: 300 }, workerFile });
    await tiny.engine.ready();
    process.kill(pidOf(tiny), "SIGSTOP");
    await eventually(() => exits(tiny).length === 1, slowMs);
    expect(exits(tiny)).toMatchObject([{ signal: "SIGKILL", cause: "UNRESPONSIVE" }]);
    expect(problemOf(tiny)?.text).toContain("stopped responding");
  });

  it("was ended by us when the load took too long", async () => {
    const tiny = start({ config: { ...config, loadTimeoutMs: 100 }, workerFile: fakeWorkerIn(folder, "") });
    await expect(tiny.engine.ready()).rejects.toThrow("longer than 100 ms");
    await eventually(() => exits(tiny).length === 1, slowMs);
    expect(exits(tiny)).toMatchObject([{ signal: "SIGKILL", cause: "LOAD_TIMED_OUT" }]);
  });

  it("crashed by another signal, or exited with a code", async () => {
    const tiny = start({ workerFile: fakeWorkerIn(folder, loadsAndPrepares + finishes) });
    await tiny.engine.ready();
    process.kill(pidOf(tiny), "SIGSEGV");
    await eventually(() => exits(tiny).length === 1, slowMs);
    expect(exits(tiny)).toMatchObject([{ signal: "SIGSEGV", cause: "CRASHED" }]);
    expect(problemOf(tiny)?.text).toContain("SIGSEGV");
  });

  it("is logged with its signal and in words", async () => {
    const { app, logLines } = await startService(resolve("dist/worker.js"));
    await app.ready();
    // Not the bundler's process, which compiles the threads of the database from their source.
    const pid = childrenOf(process.pid).find((child) =>
      readFileSync(`/proc/${child}/cmdline`, "utf8").includes("worker.js"),
    );
    if (pid === undefined) throw new Error("there is no child process");
    process.kill(pid, "SIGKILL");
    await eventually(() =>
      logLines.some(({ msg }) => msg === "engine killed by the system, probably out of memory"),
    );
    expect(logLines).toContainEqual(
      expect.objectContaining({ exitSignal: "SIGKILL", cause: "KILLED_BY_SYSTEM" }),
    );
  });
});

describe("an engine that has loaded", () => {
  it("has no standard streams", async () => {
    const tiny = start();
    await tiny.engine.ready();
    const targets = [0, 1, 2].map((fd) => readlinkSync(`/proc/${pidOf(tiny)}/fd/${fd}`));
    expect(targets).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
  });

  it("has its output discarded: it is neither shown nor logged", async () => {
    const mark = "canary-4711 error: cannot open";
    const prints = `process.stderr.on("error", () => undefined);
      if (message.type === "generate") process.stderr.write("${mark}\\n", () => setTimeout(() => process.exit(3), 50));`;
    const { app, logLines } = await startService(
      fakeWorkerIn(folder, prints + loadsAndPrepares + answersPings),
    );
    await app.ready();
    await expect(replyTo(app.engine, generationOf("Hello"))).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    await eventually(() => logLines.some(({ msg }) => msg === "engine exited"));
    const { problem } = app.engine.status("omega");
    expect(problem).toMatchObject({ cause: "EXITED" });
    expect(JSON.stringify([problem, logLines])).not.toContain("4711");
    await app.engine.prepare(generationOf("Hello"), never());
  });
});
