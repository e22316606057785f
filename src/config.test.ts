import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, loadConfig } from "./config.js";

function configFile(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "sotto-config-")), "sotto.yaml");
  writeFileSync(file, text);
  return file;
}

function errorsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("configuration", () => {
  it("has a default for everything", () => {
    const config = loadConfig({ env: {} });
    expect(config.service.port).toBe(8080);
    expect(config.models.lambda.weights).toBeUndefined();
  });

  it("prefers the command line, then the environment, then the file", () => {
    const file = configFile("port: 1001\nhost: 0.0.0.0\nlog_level: warn\n");
    const config = loadConfig({
      env: { SOTTO_PORT: "1002", SOTTO_HOST: "::1" },
      file,
      flags: { SOTTO_PORT: "1003" },
    });
    expect(config.service).toMatchObject({ port: 1003, host: "::1", logLevel: "warn" });
  });

  it("takes PORT as platforms set it, but its own name first", () => {
    expect(loadConfig({ env: { PORT: "5000" } }).service.port).toBe(5000);
    expect(loadConfig({ env: { PORT: "5000", SOTTO_PORT: "6000" } }).service.port).toBe(6000);
  });

  it("reports all faults together, each with its name and what it should be", () => {
    const faults = errorsOf(() =>
      loadConfig({
        env: {
          SOTTO_PORT: "http",
          SOTTO_LOG_LEVEL: "loud",
          SOTTO_ENGINE_THREADS: "0",
          SOTTO_MODELS_OMEGA_REPEAT_PENALTY: "9",
        },
        file: configFile("queue_wait_ms: -5\n"),
      }),
    );
    expect(faults).toHaveLength(5);
    expect(faults.join("\n")).toMatch(/SOTTO_PORT must be a number/);
    expect(faults.join("\n")).toMatch(/SOTTO_LOG_LEVEL must be silent, error/);
    expect(faults.join("\n")).toMatch(/SOTTO_ENGINE_THREADS must be at least 1/);
    expect(faults.join("\n")).toMatch(/SOTTO_MODELS_OMEGA_REPEAT_PENALTY must be at most 2/);
    expect(faults.join("\n")).toMatch(/queue_wait_ms \(in the configuration file\) must be at least 0/);
  });

  it("names a misspelled variable and leaves strangers alone", () => {
    expect(errorsOf(() => loadConfig({ env: { SOTTO_PROT: "1" } }))).toEqual([
      "SOTTO_PROT is not a setting; did you mean SOTTO_PORT?",
    ]);
    expect(errorsOf(() => loadConfig({ env: { SOTTO_SOMETHING_ELSE: "1" } }))).toEqual([]);
  });

  it("names an unknown setting in the file, and an unreadable file", () => {
    expect(errorsOf(() => loadConfig({ env: {}, file: configFile("prot: 1\n") }))[0]).toMatch(
      /did you mean port/,
    );
    expect(errorsOf(() => loadConfig({ env: {}, file: "/does/not/exist.yaml" }))[0]).toMatch(
      /cannot be read/,
    );
    expect(errorsOf(() => loadConfig({ env: {}, file: configFile("- a\n- b\n") }))[0]).toMatch(
      /names and values/,
    );
  });

  it("treats an empty value as 'choose for me' where that makes sense", () => {
    expect(loadConfig({ env: { SOTTO_ENGINE_THREADS: "" } }).engine.threads).toBeUndefined();
    expect(loadConfig({ env: { SOTTO_ENGINE_THREADS: "auto" } }).engine.threads).toBeUndefined();
  });

  it("reads the engines of a model from the file, and from the environment as JSON", () => {
    const file = configFile(`
models_prism_upstreams:
  - url: http://gpu-1:8000/v1
    profile: vllm
    name: Qwen/Qwen3-8B
    weight: 2
    timeouts: { firstTokenMs: 90000 }
  - url: http://10.0.0.7:11434
    profile: ollama
    acceptSharedCache: true
`);
    const { models } = loadConfig({ env: {}, file });
    expect(models.prism.upstreams).toMatchObject([
      { profile: "vllm", weight: 2, timeouts: { firstTokenMs: 90_000 } },
      { profile: "ollama", acceptSharedCache: true },
    ]);
    expect(models.omega.upstreams).toEqual([]);
    const env = { SOTTO_MODELS_OMEGA_UPSTREAMS: '[{"url":"http://gpu-1:8000","profile":"sglang"}]' };
    expect(loadConfig({ env }).models.omega.upstreams).toHaveLength(1);
  });

  it.each([
    ["not JSON", "must be a list of engines as JSON"],
    ['[{"profile":"vllm"}]', "must have a 'url'"],
    ['[{"url":"http://gpu-1","profile":"gpt"}]', "must have a 'profile'"],
    ['[{"url":"ftp://gpu-1","profile":"vllm"}]', "must have a 'url'"],
    ['[{"url":"http://gpu-1","profile":"vllm","wieght":1}]', "wieght"],
  ])("says what is wrong with %s", (value, fault) => {
    const faults = errorsOf(() => loadConfig({ env: { SOTTO_MODELS_OMEGA_UPSTREAMS: value } }));
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });
});

describe("substitutes of models", () => {
  it("are read for each model; there are none by default", () => {
    const { models } = loadConfig({ env: { SOTTO_MODELS_OMEGA_FALLBACK: "prism" } });
    expect([models.omega.fallback, models.prism.fallback]).toEqual(["prism", undefined]);
  });

  it.each<[Record<string, string>, string]>([
    [{ SOTTO_MODELS_OMEGA_FALLBACK: "gpt-4" }, "must be one of the models: omega, prism, lambda"],
    [{ SOTTO_MODELS_OMEGA_FALLBACK: "omega" }, "form a circle"],
    [{ SOTTO_MODELS_OMEGA_FALLBACK: "prism", SOTTO_MODELS_PRISM_FALLBACK: "omega" }, "form a circle"],
  ])("%j are refused", (env, problem) => {
    expect(() => loadConfig({ env })).toThrow(problem);
  });
});

describe("aliases of models", () => {
  const aliasesOf = (text: string) => loadConfig({ env: { SOTTO_MODEL_ALIASES: text } }).service.modelAliases;

  it("are the names of the other vendor's models by default, and none when empty", () => {
    expect(loadConfig({ env: {} }).service).toMatchObject({
      modelAliases: [
        { name: "claude-*", model: "omega" },
        { name: "text-embedding-*", model: "iota" },
      ],
      listAliases: false,
    });
    expect(aliasesOf("")).toEqual([]);
  });

  it("are read in their order, from the environment and from the file", () => {
    const expected = [
      { name: "gpt-4o", model: "prism" },
      { name: "gpt-*", model: "omega" },
    ];
    expect(aliasesOf("gpt-4o=prism, gpt-* = omega")).toEqual(expected);
    const file = configFile("model_aliases:\n  gpt-4o: prism\n  gpt-*: omega\n");
    expect(loadConfig({ env: {}, file }).service.modelAliases).toEqual(expected);
  });

  it.each([
    ["gpt-4o", "maps 'gpt-4o' to a model that does not exist: use omega, prism, lambda"],
    ["gpt-4o=", "maps 'gpt-4o' to a model"],
    ["gpt-4o=Omega", "maps 'gpt-4o' to a model"],
    ["a=b=omega", "maps 'a' to a model"],
    ["=omega", "has an alias that is not a name"],
    ["a b=omega", "has an alias that is not a name"],
    ["a=omega,", "has an alias that is not a name"],
    [`${"x".repeat(201)}=omega`, "has an alias that is not a name"],
    ["prism=omega", "gives the name 'prism' to another model: it always means itself"],
    ["a=omega,a=prism", "has the alias 'a' twice"],
    [
      "gpt-*=omega,gpt-4*=prism",
      "has the alias 'gpt-4*' after 'gpt-*', which matches all of it: put it first",
    ],
  ])("'%s' is refused at the start", (text, problem) => {
    const [error, ...others] = errorsOf(() => aliasesOf(text));
    expect(error).toContain(`SOTTO_MODEL_ALIASES ${problem}`);
    expect(others).toEqual([]);
  });

  it("of another kind are refused", () => {
    const file = configFile("model_aliases: [gpt-4o]\n");
    expect(errorsOf(() => loadConfig({ env: {}, file }))[0]).toContain(
      "must be aliases such as gpt-*=omega, with commas between",
    );
  });
});
