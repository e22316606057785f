/** Whatever a GPU's library does, the service starts and answers, and says what failed and what to do. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startApp, type App } from "../../../src/app/app.js";
import { checkEngineOn } from "../../../src/cli/doctor/engine-check.js";
import { loadConfig, type Config } from "../../../src/config.js";
import { ensureSetupLink } from "../../../src/core/sign-in/one-time-links.js";
import { systemClock } from "../../../src/core/clock.js";
import type { Backend } from "../../../src/engines/llama/backends.js";
import { keepLibrary } from "../../../src/engines/llama/gpu/library/own-library.js";
import { GpuChoice } from "../../../src/engines/llama/gpu/choice.js";
import { probeCacheIn, type BackendFailure } from "../../../src/engines/llama/gpu/probe-cache.js";
import { probe } from "../../../src/engines/llama/gpu/probe.js";
import { createLog } from "../../../src/log.js";
import type { KeyWithSecret } from "../../../src/protocol/dashboard/api.js";
import type { EngineView } from "../../../src/protocol/dashboard/engines.js";
import { generationOf, replyTo } from "../../contract/engines/engine-contract.js";
import { postChat } from "../../support/clients/post-chat.js";
import { isAlive } from "../../support/processes/children.js";
import { Browser, password, tokenOf } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { fakeGpu, memoryWords, ptxWords, type FakeGpu } from "../../support/engines/fake-gpu.js";
import { textWith } from "../../support/matchers.js";
import { startSotto } from "../../support/processes/sotto-process.js";
import { startTinyEngine } from "../../support/engines/tiny-engine.js";
import { writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { servedBy } from "../../support/processes/tiny-sotto.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-gpu-test-"));
const weights = join(folder, "tiny.gguf");
beforeAll(() => {
  writeTinyGguf(weights);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const started: App[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const app of started.splice(0)) await app.close();
});

interface Service {
  config: Config;
  notices: string[];
  logLines: Record<string, unknown>[];
  /** What the model is computed on, as the operator's page shows it. */
  compute(): Promise<EngineView["compute"]>;
  /** The text of a reply over the API. */
  reply(): Promise<string>;
  close(): Promise<void>;
}

const newDataDir = () => mkdtempSync(join(folder, "data-"));
const realWorker = resolve("dist/worker.js");

function configFor(dataDir: string, env: Record<string, string> = {}): Config {
  const models = Object.fromEntries(
    ["OMEGA", "PRISM", "LAMBDA"].map((model) => [`SOTTO_MODELS_${model}_WEIGHTS`, weights]),
  );
  return loadConfig({ env: { SOTTO_DATA_DIR: dataDir, SOTTO_PORT: "0", ...models, ...env } });
}

async function start(gpu: FakeGpu, config: Config, workerFile = realWorker): Promise<Service> {
  const notices: string[] = [];
  const logLines: Record<string, unknown>[] = [];
  const app = await startApp(config, {
    gpu: gpu.machine,
    workerFile,
    onNotice: (notice) => notices.push(notice),
    log: createLog("trace", {
      write: (line) => void logLines.push(JSON.parse(line) as Record<string, unknown>),
    }),
  });
  started.push(app);
  await app.ready();
  const operator = new Browser(app.url);
  const account = { email: "operator@example.com", password };
  const link = await ensureSetupLink(app.store, systemClock, app.url);
  if (link === null) await operator.post("/api/sign-in", account);
  else await operator.post("/api/setup", { token: tokenOf(link), ...account });
  return {
    config,
    notices,
    logLines,
    compute: async () => {
      const { engines } = await operator.get<{ engines: EngineView[] }>("/api/admin/engines");
      return engines.find(({ models }) => models.includes("omega"))?.compute ?? null;
    },
    reply: async () => {
      const key = { name: "Program", models: null, expiresInDays: null, limits: null };
      const { secret } = await operator.post<KeyWithSecret>("/api/keys", key);
      const response = await postChat(app.url, secret, {
        messages: [{ role: "user", content: "Hello" }],
        max_tokens: 8,
      });
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
      return choices[0]?.message.content ?? "";
    },
    close: () => app.close(),
  };
}

const failures = [
  ["aborts", "its process ended with SIGABRT", "crashed", /SOTTO_ENGINE_GPU=off/],
  ["badPtx", ptxWords, "driver_too_old", /Update the GPU's driver/],
  ["hangs", "no answer within 5 s", "timed_out", /nvidia-smi/],
  ["outOfMemory", memoryWords, "out_of_memory", /Free memory on the GPU/],
  ["noDevice", "no usable device was found", "no_device", /nvidia-smi/],
] as const;

describe("a GPU's library that fails", () => {
  it.each(failures)("%s: the service starts on the CPU and says why", async (how, words, kind, advice) => {
    const gpu = fakeGpu({ cuda: how, cpu: "works" }, how === "hangs" ? 5000 : undefined);
    const service = await start(gpu, configFor(newDataDir()));
    expect(await service.reply()).not.toBe("");
    expect(gpu.probes()).toEqual(["cuda"]);

    const notice = service.notices.find((text) => text.includes("CUDA does not work here")) ?? "";
    expect(notice).toContain(words);
    expect(notice).toContain("Using the CPU instead");
    expect(notice).toMatch(advice);
    expect(service.logLines).toContainEqual(
      expect.objectContaining({
        msg: "gpu not used",
        gpu: "cuda",
        gpuFailure: kind,
        gpuError: words,
        fallback: "cpu",
      }),
    );
    expect(await service.compute()).toEqual({
      backend: "cpu",
      failures: [
        { backend: "cuda", reason: textWith(words), advice: expect.stringMatching(advice) as string },
      ],
    });
    const findings = await checkEngineOn(gpu.machine, service.config, { probe: false });
    expect(findings).toMatchObject([
      { name: "engine", state: "ok", detail: textWith("CPU with 2 threads") },
      {
        name: "engine",
        state: "hint",
        detail: textWith(words),
        next: expect.stringMatching(advice) as string,
      },
    ]);
  });

  it("is followed by the next one that works", async () => {
    const gpu = fakeGpu({ cuda: "badPtx", vulkan: "works" });
    const service = await start(gpu, configFor(newDataDir()), computesAnywhere());
    expect(gpu.probes()).toEqual(["cuda", "vulkan"]);
    expect(await service.reply()).not.toBe("");
    expect(await service.compute()).toMatchObject({ backend: "vulkan", failures: [{ backend: "cuda" }] });
    expect(service.logLines).toContainEqual(expect.objectContaining({ msg: "engine loaded", gpu: "vulkan" }));
    expect(await checkEngineOn(gpu.machine, service.config, { probe: false })).toMatchObject([
      { state: "ok", detail: textWith("Vulkan on Fake 9000, NVIDIA driver 580.65.06, as found on") },
      { state: "hint", detail: textWith(ptxWords) },
    ]);
  });

  it("leaves no process and no file behind when it hangs", async () => {
    const temporary = mkdtempSync(join(folder, "tmp-"));
    vi.stubEnv("TMPDIR", temporary);
    const gpu = fakeGpu({ cuda: "hangs" }, 5000);
    const { program, limitMs } = gpu.machine;
    const kept = await readdir(temporary);
    const outcome = await probe({ program, limitMs, backend: "cuda", cacheType: "f16", env: {} });
    expect(outcome).toMatchObject({ type: "failed", kind: "timed_out" });
    expect(await readdir(temporary)).toEqual(kept);
    expect(gpu.pids().map(isAlive)).toEqual([false]);
  });
});

describe("the saved result of a GPU test", () => {
  it("names the library that was built on this machine", async () => {
    const config = configFor(newDataDir());
    const made = { backend: "cuda", from: "built", made: "for CUDA architecture 90-real" } as const;
    const built = join(config.service.dataDir, "built");
    writeFileSync(built, "library");
    keepLibrary(config.service.dataDir, { ...made, at: "2026-01-31T09:05:00.000Z" }, built);
    const gpu = fakeGpu({ cuda: "works" });
    expect(await checkEngineOn(gpu.machine, config, { probe: true })).toMatchObject([
      { state: "ok", detail: textWith("built for CUDA architecture 90-real on 2026-01-31") },
    ]);
  });

  it("holds at the next start, for this driver and these settings", async () => {
    const gpu = fakeGpu({ cuda: "badPtx", vulkan: "aborts", cpu: "works" });
    const config = configFor(newDataDir());
    const restart = async (changed = config) => {
      const service = await start(gpu, changed);
      await service.close();
      return service;
    };
    await restart();
    expect(gpu.probes()).toEqual(["cuda", "vulkan"]);

    const again = await restart();
    expect(gpu.probes()).toHaveLength(2);
    expect(again.notices.join("\n")).toContain(ptxWords);

    gpu.setDriver("590.10");
    await restart();
    expect(gpu.probes()).toHaveLength(4);

    await restart(configFor(config.service.dataDir, { SOTTO_ENGINE_CACHE_TYPE: "q8_0" }));
    expect(gpu.probes()).toHaveLength(6);

    await restart(configFor(config.service.dataDir, { SOTTO_ENGINE_GPU: "off" }));
    expect(gpu.probes()).toHaveLength(6);
    await restart();
    expect(gpu.probes()).toHaveLength(8);
  });

  it("is found out again when the operator asks for it", async () => {
    const gpu = fakeGpu({ cuda: "badPtx", cpu: "works" });
    const config = configFor(newDataDir());
    await (await start(gpu, config)).close();
    expect(await checkEngineOn(gpu.machine, config, { probe: false })).toMatchObject([
      { state: "ok" },
      { state: "hint", next: textWith("sotto doctor --probe") },
    ]);
    const repaired = fakeGpu({ cuda: "works" });
    expect(await checkEngineOn(repaired.machine, config, { probe: true })).toMatchObject([
      { state: "ok", detail: textWith("CUDA on Fake 9000") },
    ]);
    const service = await start(gpu, config, computesAnywhere());
    expect(await service.compute()).toEqual({ backend: "cuda", failures: [] });
    expect(gpu.probes().filter((backend) => backend === "cuda")).toHaveLength(1);
  });

  it("is not kept when the card was only out of memory", async () => {
    const gpu = fakeGpu({ cuda: "outOfMemory" });
    const config = configFor(newDataDir());
    for (const probes of [1, 2]) {
      const service = await start(gpu, config);
      expect(await service.compute()).toMatchObject({ backend: "cpu" });
      await service.close();
      expect(gpu.probes()).toHaveLength(probes);
    }
  });

  it("is not kept, but said by sotto doctor, when only its library is missing", async () => {
    const { machine } = fakeGpu({ cpu: "works" });
    const look = () => ({ candidates: [], withoutLibrary: ["cuda" as const], driver: "", fingerprint: "" });
    const config = configFor(newDataDir());
    expect(await checkEngineOn({ ...machine, look }, config, { probe: true })).toMatchObject([
      { state: "ok", detail: textWith("CPU") },
      {
        state: "hint",
        detail: "CUDA could be used here, but its library is not installed",
        next: textWith("sotto engine "),
      },
    ]);
    expect(JSON.parse(readFileSync(join(config.service.dataDir, "gpu.json"), "utf8"))).toMatchObject({
      failures: [],
    });
  });

  it("is looked at without being changed by sotto doctor", async () => {
    const gpu = fakeGpu({ cuda: "aborts", cpu: "works" });
    const dataDir = newDataDir();
    expect(await checkEngineOn(gpu.machine, configFor(dataDir), { probe: false })).toMatchObject([
      { state: "ok" },
      { state: "hint" },
    ]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("does not keep the service from starting when its file is damaged", async () => {
    const gpu = fakeGpu({ cuda: "aborts" });
    const dataDir = newDataDir();
    writeFileSync(join(dataDir, "gpu.json"), "{");
    await start(gpu, configFor(dataDir));
    expect(gpu.probes()).toEqual(["cuda"]);
    expect(JSON.parse(readFileSync(join(dataDir, "gpu.json"), "utf8"))).toMatchObject({
      fingerprint: "580.65.06 f16",
    });
  });
});

describe("SOTTO_ENGINE_GPU=off", () => {
  it("tries nothing", async () => {
    const gpu = fakeGpu({ cuda: "aborts", vulkan: "aborts", cpu: "works" });
    const config = configFor(newDataDir(), { SOTTO_ENGINE_GPU: "off" });
    const service = await start(gpu, config);
    expect(await service.reply()).not.toBe("");
    expect(gpu.probes()).toEqual([]);
    expect(await service.compute()).toEqual({ backend: "cpu", failures: [] });
    expect(await checkEngineOn(gpu.machine, config, { probe: false })).toMatchObject([
      { detail: textWith("since SOTTO_ENGINE_GPU is off") },
    ]);
    expect(existsSync(join(config.service.dataDir, "gpu.json"))).toBe(false);
  });
});

describe("a GPU that passes its probe and fails with the real weights", () => {
  it("is given up for them: the service starts, and does not try them there again", async () => {
    const gpu = fakeGpu({ cuda: "works" });
    const config = configFor(newDataDir());
    const worker = onGpu(`process.abort();`);
    const service = await start(gpu, config, worker);
    expect(await service.reply()).not.toBe("");
    expect(await service.compute()).toMatchObject({
      backend: "cpu",
      failures: [{ backend: "cuda", reason: textWith("CUDA could not load tiny.gguf: ") }],
    });
    expect(service.notices.join("\n")).toContain("CUDA could not load tiny.gguf");
    expect(service.logLines).toContainEqual(expect.objectContaining({ msg: "gpu not used", gpu: "cuda" }));
    await service.close();

    const again = await start(gpu, config, worker);
    expect(again.logLines).not.toContainEqual(
      expect.objectContaining({ msg: "engine exited", exitSignal: "SIGABRT" }),
    );
    expect(gpu.probes()).toEqual(["cuda"]);
  });
});

describe("the built program on a machine whose driver does not work", () => {
  it("starts, and reports the problem in its output and in sotto doctor", async () => {
    const libraries = mkdtempSync(join(folder, "lib-"));
    writeFileSync(join(libraries, "libcuda.so.1"), "no library");
    // Where no package for CUDA is made for the processor, an empty one is found.
    mkdirSync(join(libraries, "@node-llama-cpp", `linux-${process.arch}-cuda`), { recursive: true });
    const env = {
      LD_LIBRARY_PATH: libraries,
      NODE_PATH: libraries,
      ...servedBy(weights),
    };
    const sotto = await startSotto({ env });
    try {
      expect(sotto.output()).toContain("CUDA does not work here: ");
      expect(sotto.output()).toContain("Using the CPU instead.");
      expect(sotto.output()).toContain('"msg":"gpu not used"');
      const { findings } = JSON.parse(await sotto.run("doctor", "--json")) as {
        findings: { name: string; detail: string }[];
      };
      expect(findings.filter(({ name }) => name === "engine")).toMatchObject([
        { state: "ok", detail: textWith("CPU with") },
        { state: "hint", detail: textWith("CUDA does not work here: "), next: textWith("--probe") },
      ]);
    } finally {
      await sotto.stop();
    }
  });
});

describe("a GPU on which the engine dies more often than it may", () => {
  it("is given up for these weights, at once and at the next start", async () => {
    const gpu = fakeGpu({ cuda: "works" });
    const cache = probeCacheIn(newDataDir());
    const gaveUp: { failure: BackendFailure; next: Backend }[] = [];
    const newChoice = async () => {
      const choice = new GpuChoice(configFor(folder), {
        ...gpu.machine,
        cache,
        now: () => new Date(),
        onFailed: (failure, next) => gaveUp.push({ failure, next }),
      });
      await choice.settle();
      return choice;
    };
    const subject = { weights, sizes: "small" };
    const choice = await newChoice();
    const backends = choice.forEngine(subject);
    expect(backends.current).toBe("cuda");
    const tiny = startTinyEngine(
      {},
      {
        backends,
        workerFile: onGpu(`
          request.gpu = "off";
          process.prependListener("message", ({ type }) => {
            if (type === "generate") process.abort();
          });`),
        timing: { firstRestartMs: 20, loopDeaths: 3 },
      },
    );
    try {
      const { usage } = await eventually(async () => {
        try {
          return await replyTo(tiny.engine, generationOf("Hello"));
        } catch (error) {
          expect(error).toMatchObject({ code: "engine_unavailable" });
          return undefined;
        }
      });
      expect(usage.completionTokens).toBe(24);
      const deaths = tiny.events.filter((event) => event.type === "exited" && event.signal === "SIGABRT");
      expect(deaths).toHaveLength(3);
    } finally {
      await tiny.dispose();
    }
    expect(gaveUp).toMatchObject([
      {
        failure: { backend: "cuda", during: "run", kind: "crashed", words: textWith("SIGABRT") },
        next: "cpu",
      },
    ]);
    const next = await newChoice();
    expect(next.forEngine(subject).current).toBe("cpu");
    expect(next.forEngine({ ...subject, weights: "another.gguf" }).current).toBe("cuda");
    expect(gpu.probes()).toEqual(["cuda"]);
  });

  it("is not blamed for weights that load nowhere", async () => {
    const gpu = fakeGpu({ cuda: "works" });
    const garbage = join(mkdtempSync(join(folder, "garbage-")), "garbage.gguf");
    writeFileSync(garbage, "this is no model");
    const choice = new GpuChoice(configFor(newDataDir()), { ...gpu.machine, now: () => new Date() });
    await choice.settle();
    const backends = choice.forEngine({ weights: garbage, sizes: "small" });
    const tiny = startTinyEngine({}, { weights: garbage, backends, workerFile: computesAnywhere() });
    try {
      await expect(tiny.engine.ready()).rejects.toThrow(/gguf/i);
      expect(choice.allFailures()).toEqual([]);
    } finally {
      await tiny.dispose();
    }
  });
});

/** The real worker, with `script` in place of loading on a GPU. */
function onGpu(script: string): string {
  const path = join(mkdtempSync(join(folder, "worker-")), "worker.mjs");
  writeFileSync(
    path,
    `import ${JSON.stringify(pathToFileURL(realWorker).href)};
     process.prependListener("message", ({ type, request }) => {
       if (type !== "load" || request.gpu === "off") return;
       ${script}
     });`,
  );
  return path;
}

/** The real worker, which uses the CPU in place of the GPU it is given. */
function computesAnywhere(): string {
  return onGpu(`
    const gpu = request.gpu;
    request.gpu = "off";
    const send = process.send.bind(process);
    process.send = (message, ...rest) => {
      if (message.type === "loaded") message.facts.gpu = gpu;
      return send(message, ...rest);
    };`);
}
