/**
 * What an admin does about the models by the dashboard's API, with a server on this machine standing in for the hub.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type App, startApp } from "../../../src/app/app.js";
import type { AppOverrides } from "../../../src/app/overrides.js";
import { loadConfig } from "../../../src/config.js";
import { systemClock } from "../../../src/core/clock.js";
import type { ModelChoicesView, ModelsNow, PullView } from "../../../src/core/model-views.js";
import type { ModelId } from "../../../src/core/models.js";
import { ensureSetupLink } from "../../../src/core/sign-in/one-time-links.js";
import { createLog } from "../../../src/log.js";
import type { AuditEntry } from "../../../src/protocol/dashboard/audit.js";
import { isDeep } from "../../support/depth.js";
import { FakeEngine } from "../../support/engines/fake-engine.js";
import { ggufBytes, llamaFields, randomTensor } from "../../support/engines/gguf-file.js";
import { type ModelServer, sha256, startModelServer } from "../../support/engines/model-server.js";
import { startScriptedUpstream } from "../../support/engines/scripted-upstream.js";
import { tinyGgufBytes, writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { eventually } from "../../support/eventually.js";
import { textLike } from "../../support/matchers.js";
import { Browser, cheapHash, password, tokenOf } from "../../support/processes/dashboard-server.js";

const bytes = tinyGgufBytes();
const repository = "/acme/tiny-GGUF/resolve/main/";
const account = { email: "operator@example.com", password };

let hub: ModelServer;
let dataDir: string;
let folder: string;
let app: App;
let operator: Browser;
let env: Record<string, string>;

beforeEach(async () => {
  hub = await startModelServer({
    [`${repository}tiny-Q4_K_M.gguf`]: bytes,
    [`${repository}tiny-Q8_0.gguf`]: tinyGgufBytes({ seed: 2 }),
  });
  dataDir = await mkdtemp(join(tmpdir(), "sotto-models-"));
  folder = join(dataDir, "models");
  env = {};
  await start();
  const link = await ensureSetupLink(app.store, systemClock, app.url);
  await operator.post("/api/setup", { token: tokenOf(link ?? ""), ...account });
});
afterEach(async () => {
  await app.close();
  await hub.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(overrides: AppOverrides = { engine: new FakeEngine() }): Promise<void> {
  const config = loadConfig({
    env: { SOTTO_DATA_DIR: dataDir, SOTTO_PORT: "0", SOTTO_HF_ENDPOINT: hub.url, ...env },
  });
  app = await startApp(config, {
    ...{ webDir: join(dataDir, "no-pages"), databaseThreads: false, log: createLog("silent") },
    hashPassword: cheapHash,
    ...overrides,
  });
  operator = new Browser(app.url);
}

async function restart(overrides?: AppOverrides): Promise<void> {
  await app.close();
  await start(overrides);
  await operator.post("/api/sign-in", account);
}

const now = () => operator.get<ModelsNow>("/api/admin/models");
const pull = (reference: string, more: object = {}) =>
  operator.send("POST", "/api/admin/pulls", { reference, ...more });
const started = async (reference: string, more: object = {}) =>
  (await operator.must<PullView>("POST", "/api/admin/pulls", { reference, ...more })).id;
const pullOf = async (id: string) => (await now()).pulls.find((one) => one.id === id);
const until = (id: string, state: PullView["state"]) =>
  eventually(async () => {
    const found = await pullOf(id);
    return found?.state === state && found;
  });
const modelOf = async (model: ModelId) => {
  const found = (await now()).models.find((one) => one.model === model);
  if (found === undefined) throw new Error(`there is no ${model}`);
  return found;
};
const settledModel = (model: ModelId) =>
  eventually(async () => {
    const found = await modelOf(model);
    return found.change?.state !== "switching" && found;
  });
const audited = async () =>
  (await operator.get<{ entries: AuditEntry[] }>("/api/admin/audit")).entries
    .map(({ action, target }) => `${action}: ${target}`)
    .reverse();
const partial = () =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.includes(".part")) : [];

it("shows the aliases of the configuration", async () => {
  expect((await now()).aliases).toEqual([
    { name: "claude-*", model: "omega" },
    { name: "text-embedding-*", model: "iota" },
  ]);
});

describe("a pull from the dashboard", () => {
  it("brings verified weights here, which then answer for a model, and can be rolled back", async () => {
    const id = await started("hf:acme/tiny-GGUF", { model: "omega" });
    const done = await until(id, "done");
    expect(done).toMatchObject({ file: "tiny-Q4_K_M.gguf", model: "omega", doneBytes: bytes.length });
    const { files } = await operator.get<ModelChoicesView>("/api/admin/models/choices");
    expect(files).toMatchObject([{ file: "tiny-Q4_K_M.gguf", problem: null, fits: "yes", models: [] }]);

    await operator.post("/api/admin/models/omega/weights", { file: done.file });
    expect(await settledModel("omega")).toMatchObject({
      source: { type: "weights", label: "tiny-Q4_K_M.gguf" },
      weights: { bytes: bytes.length },
      previous: { type: "starter" },
      change: null,
    });
    await operator.post("/api/admin/models/omega/roll-back");
    expect(await settledModel("omega")).toMatchObject({
      source: { type: "starter" },
      previous: { type: "weights", label: "tiny-Q4_K_M.gguf" },
    });
    expect(await audited()).toEqual([
      expect.stringMatching(/^set up the service/),
      "started pull: hf:acme/tiny-GGUF",
      "changed source of model: omega",
      "rolled back model: omega",
    ]);
  });

  it("is not started twice, however it is written", async () => {
    hub.behaviour.stallAfter = 1000;
    const id = await started("hf:acme/tiny-GGUF");
    await eventually(async () => ((await pullOf(id))?.doneBytes ?? 0) > 0);
    const again = await pull(" hf:acme/tiny-GGUF ");
    expect(again.json).toMatchObject({
      error: { field: "reference", message: textLike(/being pulled already/) },
    });
    // The same file by another name would write over the first.
    const other = await started("hf:acme/tiny-GGUF:Q4_K_M");
    expect((await until(other, "failed")).reason).toMatch(/tiny-Q4_K_M\.gguf is being pulled already/);
    await operator.send("DELETE", `/api/admin/pulls/${id}`);
  });

  it("pauses with what has arrived, and resumes from there", async () => {
    hub.behaviour.stallAfter = 5000;
    const id = await started("hf:acme/tiny-GGUF");
    await eventually(async () => (await pullOf(id))?.doneBytes === 5000);
    await operator.post(`/api/admin/pulls/${id}/pause`);
    expect(await pullOf(id)).toMatchObject({ state: "paused", doneBytes: 5000, totalBytes: bytes.length });
    expect(statSync(join(folder, "tiny-Q4_K_M.gguf.part")).size).toBe(5000);
    await operator.post(`/api/admin/pulls/${id}/resume`);
    await until(id, "done");
    expect(hub.requests.at(-1)).toMatchObject({ range: "bytes=5000-" });
    expect((await audited()).slice(-2)).toEqual([
      "paused pull: hf:acme/tiny-GGUF",
      "resumed pull: hf:acme/tiny-GGUF",
    ]);
  });

  it("is offered again after a restart of the server, with what had arrived", async () => {
    hub.behaviour.stallAfter = 5000;
    const id = await started("hf:acme/tiny-GGUF", { model: "prism" });
    await eventually(async () => (await pullOf(id))?.doneBytes === 5000);
    await restart();
    expect(await pullOf(id)).toMatchObject({ state: "paused", model: "prism", file: "tiny-Q4_K_M.gguf" });
    await operator.post(`/api/admin/pulls/${id}/resume`);
    await until(id, "done");
    expect(hub.requests.at(-1)).toMatchObject({ range: "bytes=5000-" });
    await restart();
    expect((await now()).pulls).toEqual([]);
  });

  it("is cancelled with what had arrived", async () => {
    hub.behaviour.stallAfter = 5000;
    const id = await started("hf:acme/tiny-GGUF");
    await eventually(async () => (await pullOf(id))?.doneBytes === 5000);
    expect(partial()).not.toEqual([]);
    await operator.must("DELETE", `/api/admin/pulls/${id}`);
    expect((await now()).pulls).toEqual([]);
    expect(partial()).toEqual([]);
    expect((await audited()).at(-1)).toBe("cancelled pull: hf:acme/tiny-GGUF");
  });

  it("refuses bytes with another hash, and can be tried again", async () => {
    hub.behaviour.sha256 = "0".repeat(64);
    const id = await started("hf:acme/tiny-GGUF");
    expect((await until(id, "failed")).reason).toMatch(/SHA-256/);
    expect(readdirSync(folder).filter((name) => name.includes(".gguf"))).toEqual([]);
    delete hub.behaviour.sha256;
    await operator.post(`/api/admin/pulls/${id}/resume`);
    await until(id, "done");
  });

  it("explains in plain words what is missing", async () => {
    const id = await started("hf:acme/other-GGUF");
    expect((await until(id, "failed")).reason).toMatch(/There is no acme\/other-GGUF .*\(404\)/);
    const file = await started(`${hub.url}/nothing.gguf`);
    expect((await until(file, "failed")).reason).toMatch(/There is no nothing\.gguf \(404\)/);
  });

  it("waits in turn behind two others, and the list has an end", async () => {
    hub.behaviour.status = 503;
    const references = Array.from({ length: 20 }, (_, index) => `${hub.url}/file-${index}.gguf`);
    for (const reference of references) await started(reference);
    const { pulls } = await now();
    expect(pulls.filter(({ state }) => state === "running").length).toBeLessThanOrEqual(2);
    expect(pulls.filter(({ state }) => state === "waiting").length).toBeGreaterThanOrEqual(16);
    expect((await pull(`${hub.url}/one-more.gguf`)).json).toMatchObject({
      error: { message: textLike(/20 pulls are on the list/) },
    });
    for (const { id } of pulls) await operator.must("DELETE", `/api/admin/pulls/${id}`);
  });
});

describe("where a pull may come from, and go to", () => {
  it("is refused where it must not lead, before anything is requested", async () => {
    const refused: [reference: string, message: RegExp][] = [
      ["https://example.com/model.gguf", /not a host/],
      ["http://127.0.0.1:1/model.gguf", /not a host/],
      ["http://huggingface.co/model.gguf", /not https/],
      // Where clouds keep credentials.
      ["https://169.254.169.254/model.gguf", /nothing is downloaded from/],
      ["https://me:secret@huggingface.co/model.gguf", /password/],
      ["https://huggingface.co/acme/tiny", /does not name a \.gguf file/],
      ["/etc/passwd", /Enter hf:owner\/repo/],
      ["hf:acme/tiny/../../x.gguf", /not a model on Hugging Face/],
    ];
    for (const [reference, message] of refused) {
      const { status, json, text } = await pull(reference);
      expect(status, reference).toBe(400);
      expect(json, reference).toMatchObject({ error: { field: "reference", message: textLike(message) } });
      expect(text).not.toContain("secret");
    }
    expect(hub.requests).toEqual([]);
  });

  it("refuses a redirect to a host that is not on the list", async () => {
    const elsewhere = await startModelServer({ [`${repository}tiny-Q4_K_M.gguf`]: bytes });
    hub.behaviour.redirectTo = elsewhere.url;
    const id = await started("hf:acme/tiny-GGUF");
    expect((await until(id, "failed")).reason).toMatch(/redirects to .*, which is not a host/);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("keeps to the hosts that are configured", async () => {
    env = { SOTTO_DOWNLOAD_HOSTS: "models.example.com, *.example.org" };
    await restart();
    const { hosts } = await operator.get<ModelChoicesView>("/api/admin/models/choices");
    expect(hosts).toEqual(["models.example.com", "*.example.org"]);
    const id = await started("hf:acme/tiny-GGUF");
    expect((await until(id, "failed")).reason).toMatch(/not a host that weights are downloaded from/);
    for (const url of ["https://example.org/a.gguf", "https://notexample.org/a.gguf"]) {
      expect((await pull(url)).status).toBe(400);
    }
  });

  it("writes nothing under a name that is none", async () => {
    for (const name of ["..%2f..%2fevil.gguf", ".hidden.gguf", "a%00b.gguf", "%zz.gguf"]) {
      const id = await started(`${hub.url}/${name}`);
      expect((await until(id, "failed")).reason).toMatch(/does not name a \.gguf file|There is no evil/);
      expect(existsSync(join(dataDir, "evil.gguf"))).toBe(false);
      expect(partial()).toEqual([]);
    }
  });

  it("shows no signature of an address, in the list or in the audit trail", async () => {
    const id = await started(`${hub.url}${repository}tiny-Q8_0.gguf?signature=s3cret`);
    await until(id, "done");
    expect(JSON.stringify([await now(), await audited()])).not.toContain("s3cret");
  });

  it("takes a hash that the operator gives", async () => {
    const reference = `${hub.url}${repository}tiny-Q8_0.gguf`;
    const id = await started(reference, { sha256: sha256(bytes) });
    expect((await until(id, "failed")).reason).toMatch(/SHA-256/);
  });
});

describe("the source of a model", () => {
  it("is a file of the server by its path, when that can be used", async () => {
    const path = join(dataDir, "own.gguf");
    writeTinyGguf(path);
    const text = join(dataDir, "notes.txt");
    writeFileSync(text, "not weights");
    const use = (file: string) => operator.send("POST", "/api/admin/models/lambda/weights", { file });
    for (const [file, message] of [
      [text, /notes\.txt/],
      [join(dataDir, "nothing.gguf"), /There is no file/],
      ["nothing", /There is no nothing in/],
      ["../own.gguf", /or an absolute path/],
      [dataDir, /is a folder/],
      ["/dev/zero", /not a regular file/],
    ] as const) {
      expect((await use(file)).json).toMatchObject({ error: { field: "file", message: textLike(message) } });
    }
    expect((await use(path)).status).toBe(200);
    expect(await settledModel("lambda")).toMatchObject({ source: { label: "own.gguf", detail: path } });
  });

  it("has a draft model beside its file, which stays with another context and goes with another file", async () => {
    const [big, other, small] = ["big.gguf", "other.gguf", "small.gguf"].map((name) => join(dataDir, name));
    for (const path of [big, other, small]) writeTinyGguf(path ?? "");
    const use = async (body: object, model: ModelId = "lambda") => {
      await operator.must("POST", `/api/admin/models/${model}/weights`, body);
      return settledModel(model);
    };
    expect(await use({ file: big, draft: small })).toMatchObject({ draft: small });
    expect(await use({ file: big, contextTokens: 256 })).toMatchObject({
      ...{ chosenContextTokens: 256, draft: small },
    });
    expect(await use({ file: other })).toMatchObject({ source: { detail: other }, draft: null });
    expect(await use({ file: big, draft: small })).toMatchObject({ draft: small });
    expect(await use({ file: big, draft: null })).toMatchObject({ source: { detail: big }, draft: null });
    const missing = await operator.send("POST", "/api/admin/models/lambda/weights", {
      ...{ file: big, draft: join(dataDir, "nothing.gguf") },
    });
    expect(missing).toMatchObject({ status: 400, text: textLike(/There is no file/) });
  });

  it("stays as it is where the configuration fixes it, which is named", async () => {
    const path = join(dataDir, "own.gguf");
    writeTinyGguf(path);
    env = { SOTTO_MODELS_OMEGA_WEIGHTS: path, SOTTO_MODELS_OMEGA_FALLBACK: "prism" };
    await restart();
    expect(await modelOf("omega")).toMatchObject({
      fixedBy: "SOTTO_MODELS_OMEGA_WEIGHTS",
      fallback: "prism",
      weights: { hasChatTemplate: true },
    });
    for (const change of ["default", "roll-back"]) {
      const { status, text } = await operator.send("POST", `/api/admin/models/omega/${change}`);
      expect(status).toBe(409);
      expect(text).toContain("SOTTO_MODELS_OMEGA_WEIGHTS");
    }
    expect((await modelOf("prism")).fixedBy).toBeNull();
  });

  it("is an engine elsewhere after a look at it, whose key is not shown again", async () => {
    const upstream = await startScriptedUpstream();
    const engine = { url: upstream.url, profile: "vllm", key: "k3y-of-the-engine" };
    const looked = await operator.must<{ findings: { level: string }[] }>(
      "POST",
      "/api/admin/models/preflight",
      engine,
    );
    expect(looked.findings.map(({ level }) => level)).not.toContain("refuse");
    await operator.post("/api/admin/models/prism/engine", engine);
    expect(await settledModel("prism")).toMatchObject({ source: { type: "upstreams" }, weights: null });
    await operator.post("/api/admin/models/prism/default");
    await settledModel("prism");
    expect(JSON.stringify([await now(), await audited()])).not.toContain("k3y-of-the-engine");
    await upstream.close();
  });

  it("is an engine that reads images, where the admin says so and the engine does not", async () => {
    const upstream = await startScriptedUpstream();
    const findings = async (more: object) => {
      const engine = { url: upstream.url, profile: "openai", acceptSharedCache: true, ...more };
      return JSON.stringify(await operator.must("POST", "/api/admin/models/preflight", engine));
    };
    expect(await findings({})).toContain("reads images");
    expect(await findings({ vision: true })).not.toContain("reads images");
    await upstream.close();
  });

  it("is no engine that must not be used", async () => {
    const metadata = { url: "http://169.254.169.254/v1", profile: "vllm" };
    const { json } = await operator.send("POST", "/api/admin/models/prism/engine", metadata);
    expect(json).toMatchObject({ error: { code: "bad_request", field: "url" } });
    expect(await modelOf("prism")).toMatchObject({ source: { type: "starter" }, previous: null });
  });

  // In the deep suite: it loads real engines, which takes seconds.
  const realEngines = isDeep ? it : () => undefined;
  realEngines("is changed for each model alone: another whose file is gone keeps its engine", async () => {
    const pathOf = (name: string) => join(dataDir, `${name}.gguf`);
    for (const [seed, name] of ["shared", "lambda", "better"].entries())
      writeTinyGguf(pathOf(name), { seed });
    // Its header is in order, but most of the model is missing.
    writeFileSync(pathOf("hollow"), ggufBytes(llamaFields, [randomTensor("t", [256, 2], 16)]));
    const use = (model: ModelId, name: string) =>
      operator.post(`/api/admin/models/${model}/weights`, { file: pathOf(name) });
    await use("omega", "shared");
    await use("prism", "shared");
    await use("lambda", "lambda");
    env = { SOTTO_ENGINE_GPU: "off" };
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    await restart({ workerFile: resolve("dist/worker.js"), onNotice });
    await app.ready();
    await rename(pathOf("lambda"), pathOf("moved"));

    await use("omega", "better");
    expect(await settledModel("omega")).toMatchObject({ source: { label: "better.gguf" }, change: null });
    expect(app.engine.status("omega").serving).toBe("better.gguf");
    expect(app.engine.status("lambda")).toMatchObject({ state: "ready", serving: "lambda.gguf" });
    expect(notices.join("\n")).toMatch(/lambda.*lambda\.gguf/);

    // Each model is told its own reason.
    await use("prism", "hollow");
    const { source, change } = await settledModel("prism");
    expect(source).toMatchObject({ label: "shared.gguf" });
    expect(change).toMatchObject({ state: "failed", reason: textLike(/hollow\.gguf could not be loaded/) });
    expect(change?.reason).not.toContain("lambda");
  });

  it("has nothing to roll back to before its first change", async () => {
    expect((await operator.send("POST", "/api/admin/models/omega/roll-back")).status).toBe(409);
  });
});
