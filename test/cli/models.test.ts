import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordSpeed } from "../../src/models/measured-speed.js";
import { starterFileNames } from "../../src/models/starter/starter.js";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { ggufBytes, llamaFields, randomTensor } from "../support/engines/gguf-file.js";
import { engineMemberSchema } from "../../src/protocol/engine-member.js";
import { textWith } from "../support/matchers.js";
import { startModelServer, type ModelServer } from "../support/engines/model-server.js";
import { testPlan } from "../support/stores/temporary-store.js";
import { CommandLine } from "./run.js";

const model = ggufBytes(llamaFields, [randomTensor("t", [256, 100], 16)]);

const upstreams = JSON.stringify([{ url: "http://127.0.0.1:1", profile: "vllm" }]);

let server: ModelServer;
let line: CommandLine;
beforeEach(async () => {
  server = await startModelServer({ "/owner/small-GGUF/resolve/main/small-Q4_0.gguf": model });
  const { dataDir } = await CommandLine.open();
  line = new CommandLine(dataDir, { SOTTO_HF_ENDPOINT: server.url });
});
afterEach(async () => {
  await server.close();
  await line.dispose();
});

const stored = async (name: string): Promise<string | null> => {
  const store = await openSqliteStore({ path: databasePath(line.dataDir), defaultPlan: testPlan });
  try {
    return await store.getSetting(name);
  } finally {
    await store.close();
  }
};

describe("sotto models use", () => {
  it("stores a file by its absolute path, and goes back to the default", async () => {
    const path = join(line.dataDir, "own.gguf");
    await writeFile(path, model);
    expect(await line.run("models", "use", "prism", path)).toMatchObject({
      code: 0,
      stdout: textWith(`prism is served by ${path}`),
    });
    expect(JSON.parse((await stored("model.prism")) ?? "")).toEqual({ type: "weights", path });
    expect((await line.run("models", "use", "prism", "default")).code).toBe(0);
    expect(await stored("model.prism")).toBe("");
  });

  it("stores a draft model beside a file, and lists it in one word", async () => {
    const [path, draft] = [join(line.dataDir, "big.gguf"), join(line.dataDir, "small.gguf")];
    await Promise.all([writeFile(path, model), writeFile(draft, model)]);
    expect((await line.run("models", "use", "prism", path, "--draft", draft)).code).toBe(0);
    expect(JSON.parse((await stored("model.prism")) ?? "")).toEqual({ type: "weights", path, draft });
    expect((await line.run("models", "list")).stdout).toContain(`${path} (drafted)`);
    expect((await line.run("doctor")).stdout).toMatch(/prism .*big\.gguf.*, drafted/);
    await rm(draft);
    expect((await line.run("doctor")).stdout).toContain(`${draft} does not exist`);
    const refused = await line.run("models", "use", "prism", path, "--draft", draft);
    expect(refused).toMatchObject({ code: 1, stderr: textWith(`There is no file ${draft}`) });
    for (const source of ["default", "http://127.0.0.1:9/v1"])
      expect((await line.run("models", "use", "prism", source, "--draft", path)).code).toBe(1);
  });

  it("pulls missing weights, then knows them by name", async () => {
    expect((await line.run("models", "use", "omega", "hf:owner/small-GGUF:Q4_0")).code).toBe(0);
    expect((await line.run("models", "use", "lambda", "small-Q4_0")).code).toBe(0);
    expect(await stored("model.lambda")).toBe(await stored("model.omega"));
  });

  it("stores servers, and never shows their key", async () => {
    const urls = ["http://127.0.0.1:9/v1", "http://127.0.0.2:9/v1"];
    const flags = [
      ...["--profile", "vllm", "--name", "big", "--key", "k-secret", "--weight", "2"],
      ...["--context-tokens", "4096"],
    ];
    const { code, stdout } = await line.run("models", "use", "omega", ...urls, ...flags, "--json");
    expect(code).toBe(0);
    expect(stdout).not.toContain("k-secret");
    expect(JSON.parse((await stored("model.omega")) ?? "")).toEqual({
      type: "upstreams",
      upstreams: urls.map((url) => ({
        url,
        profile: "vllm",
        name: "big",
        key: "k-secret",
        weight: 2,
        contextTokens: 4096,
      })),
    });
    expect((await line.run("models", "list")).stdout).not.toContain("k-secret");
  });

  it("refuses bad files and leaves the setting as it was", async () => {
    const path = join(line.dataDir, "bad.gguf");
    await writeFile(path, model.subarray(0, model.length - 100));
    await line.run("models", "use", "omega", "http://127.0.0.1:9/v1", "--profile", "vllm");
    expect(await stored("model.omega")).toContain("127.0.0.1");
    const before = await stored("model.omega");
    const { code, stderr } = await line.run("models", "use", "omega", path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: textWith("bad.gguf is truncated") });
    expect(await stored("model.omega")).toBe(before);
  });

  it.each<[string, string[], string]>([
    ["a model that is none", ["gamma", "default"], "choose omega, prism, lambda"],
    ["a name that is none", ["omega", "nothing-here"], "no nothing-here in"],
    ["a profile that is none", ["omega", "http://gpu1/v1", "--profile", "x"], "must have a 'profile': vllm"],
    [
      "flags of servers with a file",
      ["omega", "default", "--key", "k"],
      "--key only works with addresses of servers",
    ],
    ["several files", ["omega", "a.gguf", "b.gguf"], "only possible for addresses of servers"],
  ])("refuses %s", async (_, args, reason) => {
    const { code, stderr } = await line.run("models", "use", ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: textWith(reason) });
  });

  it.each([
    ["--context-tokens", "127", "from 128 to 100000000"],
    ["--context-tokens", "100000001", "from 128 to 100000000"],
    ["--weight", "0", "at most 1000"],
    ["--weight", "1001", "at most 1000"],
  ])("refuses %s %s with the bounds that a configuration file has", async (flag, value, bounds) => {
    const { code, stderr } = await line.run("models", "use", "omega", "http://127.0.0.1:9/v1", flag, value);
    expect({ code, stderr }).toEqual({ code: 2, stderr: textWith(bounds) });
    const name = flag === "--weight" ? "weight" : "contextTokens";
    const member = { url: "http://127.0.0.1:9/v1", profile: "vllm", [name]: Number(value) };
    expect(engineMemberSchema.safeParse(member).success).toBe(false);
  });

  it("refuses a model that the configuration fixes, naming the setting", async () => {
    const fixed = new CommandLine(line.dataDir, { SOTTO_MODELS_OMEGA_WEIGHTS: "/models/a.gguf" });
    const { code, stderr } = await fixed.run("models", "use", "omega", "default");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: textWith("fixed by the configuration (SOTTO_MODELS_OMEGA_WEIGHTS)"),
    });
    expect((await fixed.run("models", "use", "prism", "default")).code).toBe(0);
  });
});

describe("sotto models roll-back", () => {
  it("returns to what answered before, and back again, with a line in the audit trail", async () => {
    const path = join(line.dataDir, "own.gguf");
    await writeFile(path, model);
    expect(await line.run("models", "roll-back", "prism")).toMatchObject({
      code: 1,
      stderr: textWith("nothing to return to"),
    });
    await line.run("models", "use", "prism", path);
    expect(await line.run("models", "roll-back", "prism")).toMatchObject({
      code: 0,
      stdout: textWith("starter"),
    });
    expect(await stored("model.prism")).toBe("");
    expect(await line.run("models", "roll-back", "prism")).toMatchObject({ code: 0, stdout: textWith(path) });
    expect(await stored("model.prism")).toContain(path);
    const store = await openSqliteStore({ path: databasePath(line.dataDir), defaultPlan: testPlan });
    const [latest] = await store.audit.list(null, 1);
    await store.close();
    expect(latest).toMatchObject({ actor: "command line", action: "rolled back model", target: "prism" });
  });

  it("refuses weights that no longer exist, and a model set by the configuration", async () => {
    const path = join(line.dataDir, "own.gguf");
    await writeFile(path, model);
    await line.run("models", "use", "prism", path);
    await line.run("models", "use", "prism", "default");
    await rm(path);
    expect(await line.run("models", "roll-back", "prism")).toMatchObject({
      code: 1,
      stderr: textWith("does not exist"),
    });
    expect(await stored("model.prism")).toBe("");
    const fixed = new CommandLine(line.dataDir, { SOTTO_MODELS_PRISM_UPSTREAMS: upstreams });
    expect(await fixed.run("models", "roll-back", "prism")).toMatchObject({
      code: 1,
      stderr: textWith("SOTTO_MODELS_PRISM_UPSTREAMS"),
    });
  });
});

describe("sotto models pull", () => {
  it("asks none but the hosts that are configured", async () => {
    const bound = new CommandLine(line.dataDir, {
      SOTTO_HF_ENDPOINT: server.url,
      SOTTO_DOWNLOAD_HOSTS: "models.example.com",
    });
    expect(await bound.run("models", "pull", "hf:owner/small-GGUF")).toMatchObject({
      code: 1,
      stderr: textWith("not a host that weights are downloaded from (models.example.com)"),
    });
    expect(server.requests).toEqual([]);
  });

  it("downloads to the models folder and says what to do next", async () => {
    const { code, stdout, stderr } = await line.start(["models", "pull", "hf:owner/small-GGUF"]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: textWith("Checking small-Q4_0.gguf") });
    expect(stdout).toContain("main.js models use omega small-Q4_0.gguf");
    expect(await readdir(join(line.dataDir, "models"))).toContain("small-Q4_0.gguf");
    expect(await line.json("models", "pull", "hf:owner/small-GGUF")).toMatchObject({ was_here: true });
  });

  it("ends with 1 and the reason when it cannot, with 2 when asked in the wrong way", async () => {
    expect(await line.run("models", "pull", "hf:owner/none")).toMatchObject({
      code: 1,
      stderr: textWith("There is no owner/none"),
    });
    expect((await line.run("models", "pull", "hf:owner/small-GGUF", "--sha256", "abc")).code).toBe(2);
  });
});

describe("a base model", () => {
  it("is named as one when it is chosen and when it is listed", async () => {
    const path = join(line.dataDir, "models", "base.gguf");
    writeTinyGguf(path, { chatTemplate: null });
    const { stdout } = await line.run("models", "use", "lambda", "base");
    expect(stdout).toMatch(/Context you get here: \d+ tokens.*, for \d+ at once, in .* of memory; /);
    expect(stdout).toContain("It has no chat template: POST /v1/completions continues texts with it");
    expect((await line.run("models", "list")).stdout).toContain("base.gguf (no chat template)");
    expect(await line.json("models", "list")).toMatchObject({ weights: [{ has_chat_template: false }] });
  });
});

describe("sotto models list", () => {
  it("shows every model and every file with its facts", async () => {
    await line.run("models", "use", "prism", "hf:owner/small-GGUF");
    const path = join(line.dataDir, "models", "small-Q4_0.gguf");
    await writeFile(join(line.dataDir, "models", "broken.gguf"), "GGUF");
    const store = await openSqliteStore({ path: databasePath(line.dataDir), defaultPlan: testPlan });
    await recordSpeed(store, path, { tokensPerSecond: 31.25, at: new Date(0) });
    await store.close();

    const { stdout } = await line.run("models", "list");
    expect(stdout).toMatch(/^omega +starter +default$/m);
    expect(stdout).toMatch(new RegExp(`^prism +${path} +setting$`, "m"));
    expect(stdout).toMatch(/^small-Q4_0\.gguf +IQ2_XXS +7\.\d kB +2048 of 2048 +\d+ MB +31\.\d +prism$/m);
    expect(stdout).toMatch(/^broken\.gguf +is truncated/m);
    expect(await line.json("models", "list")).toMatchObject({
      models: [
        { model: "omega" },
        { model: "prism", type: "weights", source: path },
        { model: "lambda" },
        { model: "iota", type: "starter", chosen_by: "default" },
      ],
      weights: [
        { fault: textWith("truncated") },
        { path, quantisation: "IQ2_XXS", tokens_per_second: 31.25, context_tokens: 2048, models: ["prism"] },
      ],
    });
  });

  it("says which file the starter is, once it is prepared", async () => {
    await mkdir(join(line.dataDir, "models"));
    await writeFile(join(line.dataDir, "models", starterFileNames[0] ?? ""), model);
    expect(await line.json("models", "list")).toMatchObject({
      weights: [{ models: ["omega", "prism", "lambda"] }],
    });
  });

  it("shows that iota is off, and on again", async () => {
    const off = await line.run("models", "use", "iota", "off");
    expect(off.stdout).toContain("iota is off.");
    expect((await line.run("models", "list")).stdout).toMatch(/^iota +off +setting$/m);
    await line.run("models", "use", "iota", "default");
    expect((await line.run("models", "list")).stdout).toMatch(/^iota +starter +default$/m);
    expect(await line.run("models", "use", "omega", "off")).toMatchObject({ code: 1 });
  });

  it("has a catalogue beside it", async () => {
    const { stdout } = await line.run("models", "catalog");
    expect(stdout).toMatch(/^qwen3-4b +Qwen3 4B Instruct 2507 +Apache-2\.0 .+ The all-rounder/m);
    expect(stdout).toMatch(/^(The best model for this machine is|This machine has too little memory)/m);
    expect(await line.json("models", "catalog")).toContainEqual(
      expect.objectContaining({ id: "gemma-3-1b", good_for: textWith("short answers") }),
    );
  });
});
