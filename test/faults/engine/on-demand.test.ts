/** Models that are loaded when they are first asked and unloaded when nobody uses them, with the real engine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startApp, type App } from "../../../src/app/app.js";
import { loadConfig, type Config } from "../../../src/config.js";
import { firstRunKey } from "../../../src/core/accounts/first-run.js";
import { createLog } from "../../../src/log.js";
import { chatModelIds, type ChatModelId } from "../../../src/core/models.js";
import { parseEvents } from "../../support/clients/chat.js";
import { postChat } from "../../support/clients/post-chat.js";
import { childrenOf, isAlive } from "../../support/processes/children.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { gatedWorker, type GatedWorker } from "../../support/engines/gated-worker.js";
import { expectOurs } from "../../support/clients/openapi.js";
import { startTinySotto } from "../../support/processes/tiny-sotto.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";

/** Several processes start in each of these. */
const slowMs = 60_000;
const idleMinutes = 5;
const idleMs = idleMinutes * 60_000;
const mebibyte = 1024 * 1024;
const metricsToken = "metrics-token-of-the-tests";

const folder = mkdtempSync(join(tmpdir(), "sotto-on-demand-"));
const weightsOf = (model: ChatModelId) => join(folder, `${model}.gguf`);
const otherWeights = join(folder, "other.gguf");
beforeAll(() => {
  writeTinyGguf(otherWeights, { seed: 99 });
  for (const [seed, model] of chatModelIds.entries()) writeTinyGguf(weightsOf(model), { seed });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

interface Service {
  app: App;
  config: Config;
  clock: FakeClock;
  worker: GatedWorker;
  logLines: string[];
  states(): Record<ChatModelId, string>;
  ask(model: ChatModelId, body?: object, signal?: AbortSignal): Promise<Response>;
  memoryBytes(model: ChatModelId): Promise<number>;
}

interface ServiceOptions {
  env?: Record<string, string>;
  keepAliveMs?: number;
  /** How many models the machine can hold. */
  holds?: number;
  /** One file behind all names. */
  shared?: boolean;
}

async function start({
  env,
  keepAliveMs = 15_000,
  holds = 3,
  shared = false,
}: ServiceOptions = {}): Promise<Service> {
  const clock = new FakeClock(new Date());
  const worker = gatedWorker(folder);
  const logLines: string[] = [];
  const weights = Object.fromEntries(
    chatModelIds.map((model) => [
      `SOTTO_MODELS_${model.toUpperCase()}_WEIGHTS`,
      weightsOf(shared ? "omega" : model),
    ]),
  );
  const config = loadConfig({
    env: {
      SOTTO_DATA_DIR: mkdtempSync(join(folder, "data-")),
      SOTTO_PORT: "0",
      SOTTO_ENGINE_GPU: "off",
      SOTTO_ENGINE_SEQUENCES: "4",
      SOTTO_ENGINE_IDLE_UNLOAD_MINUTES: String(idleMinutes),
      SOTTO_LIMIT_CONCURRENT_REQUESTS: "100",
      SOTTO_METRICS_TOKEN: metricsToken,
      SOTTO_MODELS_IOTA_WEIGHTS: "off",
      ...weights,
      ...env,
    },
  });
  // A tiny model counts as a little more than the 256 MiB to compute in. Half of one is left over.
  const availableBytes = () => {
    const loaded = chatModelIds.filter((id) => states()[id] === "ready").length;
    return ((holds + 0.5) * 260 * mebibyte) / 0.9 - loaded * 256 * mebibyte;
  };
  // Memory is asked for before there is an app.
  const started: { app?: App } = {};
  const states = () => {
    const of = (model: ChatModelId) => started.app?.engine.status(model).state ?? "none";
    return { omega: of("omega"), prism: of("prism"), lambda: of("lambda") };
  };
  const running = await startApp(config, {
    clock,
    keepAliveMs,
    availableBytes,
    workerFile: worker.workerFile,
    log: createLog("info", { write: (line) => void logLines.push(line) }),
  });
  started.app = running;
  apps.push(running);
  await running.ready();
  const key = await firstRunKey(running.store, clock);
  return {
    app: running,
    config,
    clock,
    worker,
    logLines,
    states,
    ask: (model, body = {}, signal) =>
      postChat(running.url, key ?? "", { model, max_tokens: 4, ...body }, signal),
    memoryBytes: async (model) => {
      const headers = { authorization: `Bearer ${metricsToken}` };
      const text = await (await fetch(`${running.url}/metrics`, { headers })).text();
      return Number(
        new RegExp(`^sotto_engine_memory_bytes\\{model="${model}"\\} (\\S+)$`, "m").exec(text)?.[1],
      );
    },
  };
}

const stream = { stream: true };
const endless = { stream: true, max_tokens: 1_000_000 };
/** Room for more than a tiny model says while a test runs. */
const longContext = { SOTTO_ENGINE_CONTEXT_TOKENS: "65536", SOTTO_ENGINE_SEQUENCES: "1" };
const lastPid = ({ worker }: Service): number => {
  const pid = worker.started().at(-1);
  if (pid === undefined) throw new Error("no process was started");
  return pid;
};

/** A stream that runs until it is ended. It is read all the time: a client that does not read is cut off. */
async function startStream(service: Service, model: ChatModelId): Promise<{ end(): Promise<void> }> {
  const controller = new AbortController();
  const response = await service.ask(model, endless, controller.signal);
  const reader = response.body?.getReader();
  let isOver = false;
  const reading = (async () => {
    while ((await reader?.read())?.done === false);
    isOver = true;
  })().catch(() => undefined);
  return {
    end: async () => {
      expect(isOver).toBe(false);
      controller.abort();
      await reading;
      await eventually(() => service.app.engine.status(model).active === 0);
    },
  };
}

describe("the first requests of a model", { timeout: slowMs }, () => {
  it("load it once, however many come together, and none is lost", async () => {
    const service = await start();
    service.worker.hold();
    const asked = Array.from({ length: 20 }, (_, index) =>
      service.ask("omega", index % 2 === 0 ? stream : {}),
    );
    await eventually(() => service.worker.started().length > 0);
    expect(service.states()).toEqual({ omega: "waking", prism: "asleep", lambda: "asleep" });
    service.worker.release();
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const [index, answer] of answers.entries()) {
      const body = await answer.text();
      if (index % 2 === 0) expect(parseEvents(body).done).toBe(true);
      else expectOurs("ChatCompletion", JSON.parse(body));
    }
    expect(service.worker.started()).toHaveLength(1);
    expect(service.states()).toEqual({ omega: "ready", prism: "asleep", lambda: "asleep" });
    expect(service.app.engine.status("omega").restarts).toBe(0);
  });

  it("load a file behind several names once", async () => {
    const service = await start({ shared: true });
    const answers = await Promise.all(chatModelIds.map((model) => service.ask(model)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(service.worker.started()).toHaveLength(1);
  });

  it("are kept alive while it loads, when they are streams", async () => {
    const service = await start({ keepAliveMs: 20 });
    service.worker.hold();
    const response = await service.ask("omega", stream);
    expect(response.status).toBe(200);
    expect(service.states().omega).toBe("waking");
    service.worker.release();
    const { comments, done, events } = parseEvents(await response.text());
    expect(comments).toBeGreaterThan(0);
    expect(done).toBe(true);
    for (const event of events) expectOurs("ChatCompletionChunk", event);
  });

  it("get an error event if loading fails", async () => {
    const service = await start({ keepAliveMs: 20 });
    service.worker.hold();
    const response = await service.ask("omega", stream);
    await eventually(() => service.worker.started().length > 0);
    process.kill(lastPid(service), "SIGKILL");
    const { done, events } = parseEvents(await response.text());
    expect(done).toBe(false);
    expect(events).toMatchObject([{ error: { code: "engine_unavailable" } }]);
    service.worker.release();
  });

  it("go on when others that wait for the same load hang up", async () => {
    const service = await start();
    service.worker.hold();
    const controller = new AbortController();
    const impatient = service.ask("omega", {}, controller.signal).catch(() => "hung up");
    await eventually(() => service.states().omega === "waking");
    const patient = service.ask("omega");
    await eventually(() => service.worker.started().length > 0);
    controller.abort();
    expect(await impatient).toBe("hung up");
    service.worker.release();
    expect((await patient).status).toBe(200);
    expect(service.worker.started()).toHaveLength(1);
  });

  it("are bounded in number, like those that wait for their turn", async () => {
    const service = await start({ env: { SOTTO_QUEUE_LENGTH: "2" } });
    service.worker.hold();
    const asked = Array.from({ length: 9 }, () => service.ask("omega"));
    const refused = await Promise.race(asked);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ error: { code: "overloaded" } });
    service.worker.release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    // Four run at once, and two may wait.
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    expect(service.worker.started()).toHaveLength(1);
  });
});

describe("a load that fails", { timeout: slowMs }, () => {
  it("is reported to all who wait for it, and tried again by a later request", async () => {
    const service = await start();
    service.worker.breakLoads();
    const answers = await Promise.all([service.ask("omega"), service.ask("omega", stream)]);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await answer.json()).toMatchObject({ error: { code: "engine_unavailable" } });
    }
    expect(service.worker.started()).toHaveLength(1);
    service.worker.mend();
    const next = await eventually(async () => {
      const answer = await service.ask("omega");
      return answer.status === 200 && answer;
    }, slowMs);
    expect(next.status).toBe(200);
    expect(service.worker.started()).toHaveLength(2);
  });

  it("is not retried without requests, and the service stays ready", async () => {
    const service = await start();
    service.worker.breakLoads();
    expect((await service.ask("omega")).status).toBe(503);
    await eventually(() => service.states().omega === "asleep");
    expect(service.worker.started()).toHaveLength(1);
    expect((await fetch(`${service.app.url}/readyz`)).status).toBe(200);
  });
});

describe("an idle model", { timeout: slowMs }, () => {
  it("is unloaded after the idle time, and loaded again by the next request", async () => {
    const service = await start();
    expect(await service.memoryBytes("omega")).toBe(0);
    expect((await service.ask("omega")).status).toBe(200);
    const pid = lastPid(service);
    expect(isAlive(pid)).toBe(true);
    expect(await service.memoryBytes("omega")).toBeGreaterThan(0);

    service.clock.advance(idleMs);
    await eventually(() => !isAlive(pid));
    await eventually(async () => (await service.memoryBytes("omega")) === 0);
    expect(service.states().omega).toBe("asleep");
    expect(service.app.engine.status("omega")).toMatchObject({ active: 0, capacity: 4, restarts: 0 });
    const said = service.logLines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toContain("engine unloaded");
    expect(said).not.toContain("engine exited");

    expect((await service.ask("omega")).status).toBe(200);
    expect(lastPid(service)).not.toBe(pid);
    expect(service.app.engine.status("omega").restarts).toBe(0);
  });

  it("stays when it was asked in between", async () => {
    const service = await start();
    await service.ask("omega");
    await service.ask("prism");
    const [omega = NaN, prism = NaN] = service.worker.started();
    service.clock.advance(idleMs - 1);
    expect((await service.ask("omega")).status).toBe(200);
    service.clock.advance(1);
    // Both were looked at when the other one is gone.
    await eventually(() => !isAlive(prism));
    expect(isAlive(omega)).toBe(true);
    expect(service.states()).toMatchObject({ omega: "ready", prism: "asleep" });
  });

  it("stays while a reply runs, however long that takes", async () => {
    const service = await start({ env: longContext });
    const running = await startStream(service, "omega");
    const omega = lastPid(service);
    await service.ask("prism");
    const prism = lastPid(service);
    service.clock.advance(10 * idleMs);
    await eventually(() => !isAlive(prism));
    expect(isAlive(omega)).toBe(true);
    await running.end();
    service.clock.advance(idleMs);
    await eventually(() => !isAlive(omega));
  });

  it("that is requested while it is being unloaded is loaded again", async () => {
    const service = await start();
    await service.ask("omega");
    for (let round = 0; round < 3; round++) {
      service.clock.advance(idleMs);
      await eventually(() => service.states().omega === "asleep");
      expect((await service.ask("omega")).status).toBe(200);
    }
    expect(service.worker.started()).toHaveLength(4);
    expect(service.app.engine.status("omega").restarts).toBe(0);
  });
});

describe("with memory for two of three models", { timeout: slowMs }, () => {
  it("the least recently used one makes room", async () => {
    const service = await start({ holds: 2 });
    for (const model of ["omega", "prism", "omega"] as const) {
      expect((await service.ask(model)).status).toBe(200);
      service.clock.advance(1000);
    }
    expect(service.states()).toEqual({ omega: "ready", prism: "ready", lambda: "asleep" });
    expect((await service.ask("lambda")).status).toBe(200);
    expect(service.states()).toEqual({ omega: "ready", prism: "asleep", lambda: "ready" });
    service.clock.advance(1000);
    expect((await service.ask("prism")).status).toBe(200);
    expect(service.states()).toEqual({ omega: "asleep", prism: "ready", lambda: "ready" });
  });

  it("a third waits for one that is in use, is refused after the queue's time, and answered when there is room", async () => {
    const service = await start({
      holds: 2,
      env: { ...longContext, SOTTO_QUEUE_WAIT_MS: "60000" },
    });
    const first = await startStream(service, "omega");
    const second = await startStream(service, "prism");
    const refused = service.ask("lambda");
    await eventually(() => service.states().lambda === "waking");
    service.clock.advance(60_000);
    const answer = await refused;
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject({ error: { code: "overloaded" } });

    const waiting = service.ask("lambda");
    await eventually(() => service.states().lambda === "waking");
    await first.end();
    service.clock.advance(1000);
    expect((await waiting).status).toBe(200);
    expect(service.states()).toEqual({ omega: "asleep", prism: "ready", lambda: "ready" });
    await second.end();
  });
});

describe("another file behind a model", { timeout: slowMs }, () => {
  const changed = (service: Service) => ({
    ...service.config,
    models: { ...service.config.models, omega: { ...service.config.models.omega, weights: otherWeights } },
  });

  it("is loaded before it answers, whether the old one was loaded or not", async () => {
    const service = await start({ holds: 1 });
    await service.app.followModels(changed(service));
    expect(service.app.engine.status("omega")).toMatchObject({ state: "ready", serving: "other.gguf" });
    expect((await service.ask("omega")).status).toBe(200);
    expect(service.worker.started()).toHaveLength(1);
  });

  it("takes the memory of the old one once that has finished", async () => {
    const service = await start({ holds: 1 });
    expect((await service.ask("omega")).status).toBe(200);
    const pid = lastPid(service);
    service.clock.advance(1000);
    await service.app.followModels(changed(service));
    expect(service.app.engine.status("omega")).toMatchObject({ state: "ready", serving: "other.gguf" });
    expect(isAlive(pid)).toBe(false);
  });

  it("does not take over if it fails to load", async () => {
    const service = await start();
    service.worker.breakLoads();
    await service.app.followModels(changed(service));
    service.worker.mend();
    expect(service.app.engine.status("omega")).toMatchObject({ state: "asleep", serving: "omega.gguf" });
    expect((await service.ask("omega")).status).toBe(200);
  });
});

describe("the program", { timeout: slowMs }, () => {
  it("starts without a model in memory, says so, and is ready", async () => {
    const sotto = await startTinySotto({ SOTTO_ENGINE_IDLE_UNLOAD_MINUTES: "5" });
    try {
      expect(sotto.output()).toMatch(/omega +tiny\.gguf, loaded on demand/);
      expect(childrenOf(sotto.pid)).toEqual([]);
      const ready = await fetch(`${sotto.url}/readyz`);
      expect(ready.status).toBe(200);
      const body: unknown = await ready.json();
      expectOurs("Readiness", body);
      expect(body).toMatchObject({ models: { omega: "asleep", prism: "asleep", lambda: "asleep" } });
      const status = await fetch(`${sotto.url}/api/status`);
      expect(await status.json()).toMatchObject({ overall: "up" });
      const key = await sotto.newKey();
      const models = await fetch(`${sotto.baseURL}/models`, { headers: { authorization: `Bearer ${key}` } });
      expect(models.status).toBe(200);
    } finally {
      expect(await sotto.stop()).toBe(0);
    }
  });

  it("loads its models at startup and keeps them by default", async () => {
    const service = await start({ env: { SOTTO_ENGINE_IDLE_UNLOAD_MINUTES: "0" } });
    expect(loadConfig({ env: {} }).engine.idleUnloadMinutes).toBe(0);
    expect(service.states()).toEqual({ omega: "ready", prism: "ready", lambda: "ready" });
    const pids = service.worker.started();
    expect(pids).toHaveLength(3);
    service.clock.advance(100 * idleMs);
    expect((await service.ask("omega")).status).toBe(200);
    expect(pids.every(isAlive)).toBe(true);
    expect(service.worker.started()).toHaveLength(3);
  });
});
