import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadConfig } from "../../../src/config.js";
import { extensionFile } from "../../../src/engines/llama/extension/extension-file.js";
import { LlamaEngine, type LlamaEngineOptions } from "../../../src/engines/llama/host/llama-engine.js";
import type { LlamaEvent } from "../../../src/engines/llama/host/supervisor.js";
import { testDefaults } from "./model-defaults.js";
import { writeTinyGguf, type TinyModel } from "./tiny-gguf.js";

export interface TinyEngine {
  engine: LlamaEngine;
  events: LlamaEvent[];
  dispose(): Promise<void>;
}

/** The real engine in a real child process, on a tiny model. */
export function startTinyEngine(
  model: TinyModel = {},
  options: Partial<LlamaEngineOptions> = {},
): TinyEngine {
  const folder = mkdtempSync(join(tmpdir(), "sotto-tiny-"));
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights, model);
  const settings = loadConfig({ env: {} });
  const { config = settings.engine } = options;
  const events: LlamaEvent[] = [];
  const engine = new LlamaEngine({
    weights,
    models: { omega: testDefaults },
    extension: extensionFile(settings),
    workerFile: resolve("dist/worker.js"),
    onEvent: (event) => events.push(event),
    ...options,
    // Of so small a model, several threads wait for each other longer than they compute.
    config: { ...config, threads: config.threads ?? 1 },
    // A busy machine takes long to load even this.
    timing: { readyWaitMs: 170_000, ...options.timing },
  });
  const dispose = async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { engine, events, dispose };
}
