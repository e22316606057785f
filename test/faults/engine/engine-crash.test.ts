/** What happens to requests when the engine's child process fails, in every way a process can. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import type { LlamaEngineOptions } from "../../../src/engines/llama/host/llama-engine.js";
import {
  collect,
  drain,
  generationOf,
  never,
  replyTo,
  startReply,
} from "../../contract/engines/engine-contract.js";
import { isAlive } from "../../support/processes/children.js";
import { eventually } from "../../support/eventually.js";
import { fakeWorkerIn, answersPings, finishes, loadsAndPrepares } from "../../support/engines/fake-worker.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { writeTinyGguf, type TinyModel } from "../../support/engines/tiny-gguf.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";

const unavailable = { code: "engine_unavailable" };
const { engine: config } = loadConfig({ env: {} });
const endless = { maxTokens: 100_000 };
/** Restarts in a hurry, and for some tests signs of life. */
const timing = { firstRestartMs: 20 };
const impatient = { ...timing, tickMs: 300 };
/** Deadline for what needs several processes to start, on a machine that is busy with other tests. */
const slowMs = 20_000;

const folder = mkdtempSync(join(tmpdir(), "sotto-faults-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fakeWorker = (script: string) => fakeWorkerIn(folder, script);

const started: TinyEngine[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((tiny) => tiny.dispose()));
});

function start(options: Partial<LlamaEngineOptions> = {}, model?: TinyModel): TinyEngine {
  const tiny = startTinyEngine(model, { timing, ...options });
  started.push(tiny);
  return tiny;
}

const deaths = ({ events }: TinyEngine): number => events.filter(({ type }) => type === "exited").length;

const pidOf = ({ engine }: TinyEngine): number => {
  if (engine.pid === undefined) throw new Error("there is no child process");
  return engine.pid;
};

describe("when the engine's process is killed", () => {
  it("ends running streams at once, and answers the next request", async () => {
    const tiny = start();
    const pid = pidOf(tiny);
    const streams = await Promise.all(
      ["one", "two", "three"].map((name) => startReply(tiny.engine, generationOf(name, endless))),
    );
    const outcomes = Promise.allSettled(streams.map(({ events }) => drain(events)));
    process.kill(pid, "SIGKILL");
    await expect(Promise.race([outcomes, after(1000)])).resolves.toMatchObject(
      streams.map(() => ({ status: "rejected", reason: unavailable })),
    );
    expect(tiny.engine.status("omega")).toMatchObject({ state: "down", active: 0, restarts: 1 });

    const { usage } = await replyTo(tiny.engine, generationOf("And now?"));
    expect(usage.completionTokens).toBe(24);
    expect(pidOf(tiny)).not.toBe(pid);
    expect(tiny.events).toMatchObject([
      { type: "loaded" },
      { type: "exited", signal: "SIGKILL" },
      { type: "restarting" },
      { type: "loaded" },
    ]);
  });

  it("lets prepared requests and those in line wait for the restart", async () => {
    const tiny = start({ config: { ...config, sequences: 1 } });
    const generation = generationOf("Patience.");
    const { text: expected } = await replyTo(tiny.engine, generation);
    const prepared = await tiny.engine.prepare(generation, never());
    const running = await startReply(tiny.engine, generationOf("Talk.", endless));
    const waiting = collect(tiny.engine.generate(prepared, never()));
    const ended = expect(drain(running.events)).rejects.toMatchObject(unavailable);
    process.kill(pidOf(tiny), "SIGKILL");
    await ended;
    expect((await waiting).text).toBe(expected);
  });

  it("lets those wait for the restart whose prompt it had not finished reading", async () => {
    const tiny = start();
    const generation = generationOf("Patience.");
    const { text: expected } = await replyTo(tiny.engine, generation);
    const prepared = await tiny.engine.prepare(generation, never());
    process.kill(pidOf(tiny), "SIGSTOP");
    const reading = collect(tiny.engine.generate(prepared, never()));
    const preparing = tiny.engine.prepare(generation, never());
    await new Promise((resolve) => setImmediate(resolve));
    process.kill(pidOf(tiny), "SIGKILL");
    expect((await reading).text).toBe(expected);
    expect((await preparing).promptTokens).toBe(prepared.promptTokens);
    expect(deaths(tiny)).toBe(1);
  });

  it.each(["prepare", "generate"])("retries the request that killed it exactly once: %s", async (type) => {
    const dies = `if (message.type === "${type}") process.exit(3);`;
    const tiny = start({ workerFile: fakeWorker(dies + loadsAndPrepares) });
    await expect(replyTo(tiny.engine, generationOf("Hello"))).rejects.toMatchObject(unavailable);
    expect(tiny.events).toContainEqual({ type: "exited", code: 3, signal: null, cause: "EXITED" });
    await eventually(() => tiny.events.filter(({ type }) => type === "loaded").length === 3, slowMs);
    expect(deaths(tiny)).toBe(2);
  });

  it("tries one request once more, whether its prompt was read or run", async () => {
    const dies = `if (message.type === "prepare" && firstTime()) process.exit(3);
      if (message.type === "generate") process.exit(4);`;
    const tiny = start({ workerFile: fakeWorker(dies + loadsAndPrepares) });
    await expect(replyTo(tiny.engine, generationOf("Hello"))).rejects.toMatchObject(unavailable);
    expect(deaths(tiny)).toBe(2);
  });

  it("runs nothing again where another engine is tried instead", async () => {
    const dies = `if (message.type === "generate" && firstTime()) process.exit(3);`;
    const tiny = start({ failsOver: true, workerFile: fakeWorker(dies + loadsAndPrepares + finishes) });
    await expect(replyTo(tiny.engine, generationOf("Hello"))).rejects.toMatchObject(unavailable);
    expect((await replyTo(tiny.engine, generationOf("Hello"))).text).toBe("Well.");
  });

  it("lets one that waits to be run again hang up", async () => {
    const tiny = start({
      timing: { firstRestartMs: 60_000 },
      workerFile: fakeWorker(`if (message.type === "generate") process.exit(3);` + loadsAndPrepares),
    });
    const hangUp = new AbortController();
    const refused = expect(replyTo(tiny.engine, generationOf("Hello"), hangUp.signal)).rejects.toThrow(
      "hung up",
    );
    await eventually(() => deaths(tiny) === 1, slowMs);
    hangUp.abort(new Error("hung up"));
    await refused;
  });

  it("refuses one that waits to be run again when the engine is closed", async () => {
    const tiny = start({
      timing: { firstRestartMs: 60_000 },
      workerFile: fakeWorker(`if (message.type === "generate") process.exit(3);` + loadsAndPrepares),
    });
    const refused = expect(replyTo(tiny.engine, generationOf("Hello"))).rejects.toMatchObject(unavailable);
    await eventually(() => deaths(tiny) === 1, slowMs);
    await tiny.engine.close();
    await refused;
  });
});

describe("when the engine's process hangs", () => {
  it("ends it and starts another, with a stream running", async () => {
    const tiny = start({ timing: impatient });
    const stream = await startReply(tiny.engine, generationOf("Talk.", endless));
    const ended = expect(drain(stream.events)).rejects.toMatchObject(unavailable);
    process.kill(pidOf(tiny), "SIGSTOP");
    await ended;
    expect((await replyTo(tiny.engine, generationOf("And now?"))).usage.completionTokens).toBe(24);
    expect(tiny.events).toContainEqual({
      type: "exited",
      code: null,
      signal: "SIGKILL",
      cause: "UNRESPONSIVE",
    });
  });

  it("ends it and starts another, when idle", async () => {
    const tiny = start({ timing: impatient, workerFile: fakeWorker(loadsAndPrepares + answersPings) });
    await tiny.engine.ready();
    process.kill(pidOf(tiny), "SIGSTOP");
    await eventually(() =>
      tiny.events.some((event) => event.type === "exited" && event.signal === "SIGKILL"),
    );
    expect((await tiny.engine.prepare(generationOf("Hello"), never())).promptTokens).toBe(3);
  });

  it("gives up on a generation that makes no progress, and keeps the process, which ends it on request", async () => {
    const endsWhenTold = `if (message.type === "abort") step({ endings: [{ id: message.id, outcome: { type: "aborted" } }] });`;
    const tiny = start({
      config: { ...config, firstTokenTimeoutMs: 100 },
      workerFile: fakeWorker(loadsAndPrepares + answersPings + endsWhenTold),
    });
    for (let round = 0; round < 2; round++) {
      await expect(replyTo(tiny.engine, generationOf("Hello"))).rejects.toMatchObject(unavailable);
    }
    expect(tiny.events).toMatchObject([{ type: "loaded" }]);
  });

  it("gives up on a reply that stops in the middle", async () => {
    const saysOneWord = `if (message.type === "generate") step({ active: 1, progress: [{ id: message.id, choice: 0, text: "Well" }] });`;
    const tiny = start({
      config: { ...config, nextTokenTimeoutMs: 100 },
      workerFile: fakeWorker(loadsAndPrepares + answersPings + saysOneWord),
    });
    const { first, events } = await startReply(tiny.engine, generationOf("Hello"));
    expect(first.value).toEqual({ type: "text", choice: 0, text: "Well" });
    await expect(drain(events)).rejects.toMatchObject(unavailable);
  });

  it("waits as long as there is progress, although nothing can be shown", async () => {
    const readsSlowly = `
      if (message.type === "generate") {
        let steps = 0;
        const timer = setInterval(() => {
          step({ active: 1, progress: [{ id: message.id, text: steps < 10 ? null : "" }] });
          if (++steps < 20) return;
          clearInterval(timer);
          const outcome = { type: "finished", finishReason: "stop", completionTokens: 10 };
          step({ endings: [{ id: message.id, outcome }] });
        }, 100);
      }`;
    const tiny = start({
      config: { ...config, firstTokenTimeoutMs: 1000, nextTokenTimeoutMs: 1000 },
      workerFile: fakeWorker(loadsAndPrepares + answersPings + readsSlowly),
    });
    expect((await replyTo(tiny.engine, generationOf("Hello"))).usage.completionTokens).toBe(10);
  });

  it("ends a process that answers pings but does not let go of a sequence", async () => {
    const reads = `if (message.type === "generate") step({ active: 1, progress: [{ id: message.id, text: null }] });`;
    const tiny = start({
      timing: impatient,
      workerFile: fakeWorker(loadsAndPrepares + answersPings + reads),
    });
    const controller = new AbortController();
    const reply = replyTo(tiny.engine, generationOf("Hello"), controller.signal);
    const refused = expect(reply).rejects.toThrow("hung up");
    await eventually(() => tiny.engine.status("omega").active === 1, slowMs);
    controller.abort(new Error("hung up"));
    await refused;
    await eventually(() =>
      tiny.events.some((event) => event.type === "exited" && event.signal === "SIGKILL"),
    );
  });
});

describe("when the engine cannot start", () => {
  it("says why, for the operator", async () => {
    const weights = join(folder, "garbage.gguf");
    writeFileSync(weights, "this is no model");
    const tiny = start({ weights });
    await expect(tiny.engine.ready()).rejects.toThrow(/./);
    expect(tiny.events[0]).toMatchObject({
      type: "load_failed",
      reason: expect.stringMatching(/gguf/i) as string,
    });
  });

  it("gives up on a load that takes too long", async () => {
    const tiny = start({ config: { ...config, loadTimeoutMs: 100 }, workerFile: fakeWorker("") });
    await expect(tiny.engine.ready()).rejects.toThrow("longer than 100 ms");
    await eventually(() =>
      tiny.events.some((event) => event.type === "exited" && event.signal === "SIGKILL"),
    );
  });

  it("refuses requests at once when processes die in a loop, and keeps trying", async () => {
    const tiny = start({ workerFile: fakeWorker("process.exit(1);") });
    await eventually(() => tiny.events.filter(({ type }) => type === "exited").length >= 5, slowMs);
    // A request that waited would outlast the test's time limit.
    await expect(tiny.engine.prepare(generationOf("Hello"), never())).rejects.toMatchObject({
      ...unavailable,
      retryAfterSeconds: expect.any(Number) as number,
    });
    await eventually(() => tiny.engine.status("omega").restarts > 5, slowMs);
    expect(tiny.engine.status("omega").state).toBe("down");
  });

  it("lets a request wait no longer than it may", async () => {
    const tiny = start({ timing: { ...timing, readyWaitMs: 100 }, workerFile: fakeWorker("") });
    expect(tiny.engine.status("omega").state).toBe("starting");
    await expect(tiny.engine.prepare(generationOf("Hello"), never())).rejects.toMatchObject(unavailable);
    const controller = new AbortController();
    const refused = expect(tiny.engine.prepare(generationOf("Hello"), controller.signal)).rejects.toThrow(
      "hung up",
    );
    controller.abort(new Error("hung up"));
    await refused;
  });
});

describe("the engine's process", () => {
  it("gets none of the secrets in the environment", async () => {
    process.env["SOTTO_METRICS_TOKEN"] = "a-secret-of-the-operator";
    const tiny = start({ workerFile: fakeWorker(loadsAndPrepares) });
    await tiny.engine.ready();
    delete process.env["SOTTO_METRICS_TOKEN"];
    const environment = readFileSync(`/proc/${pidOf(tiny)}/environ`, "utf8");
    expect(environment).toContain("PATH=");
    expect(environment).not.toContain("SOTTO_");
  });

  it("does not outlive its parent", async () => {
    const weights = join(folder, "orphan.gguf");
    writeTinyGguf(weights);
    const options = JSON.stringify({ weights, models: {}, config, workerFile: resolve("dist/worker.js") });
    const script = `import { LlamaEngine } from ${sourceModule("engines/llama/host/llama-engine.ts")};
       const engine = new LlamaEngine(${options});
       await engine.ready();
       console.log(engine.pid);`;
    const parent = spawn(process.execPath, scriptArguments(script));
    const [output] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await eventually(() => !isAlive(pid));
  });
});

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, `nothing in ${ms} ms`));
