/** The weights on this machine: those in the models folder, and those that a model is mapped to. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { forEachModel, type ModelId, modelIds } from "../core/models.js";
import type { Store } from "../core/store.js";
import type { Mapping } from "./choice/mapping.js";
import { GgufError } from "./gguf/gguf-header.js";
import { readWeightsFacts, type WeightsFacts } from "./gguf/gguf.js";
import { type MeasuredSpeed, readSpeed } from "./measured-speed.js";
import { fileOf } from "./choice/source-views.js";

export interface ListedWeights {
  path: string;
  /** Null when the file cannot be used; `problem` says why, as the end of a sentence. */
  facts: WeightsFacts | null;
  problem: string | null;
  speed: MeasuredSpeed | null;
  models: ModelId[];
}

export async function listWeights(
  folder: string,
  mapping: Mapping,
  store: Pick<Store, "getSetting">,
): Promise<ListedWeights[]> {
  const names = await readdir(folder).catch(() => []);
  // The later parts of a split model belong to its first.
  const whole = names.filter(
    (name) => name.endsWith(".gguf") && !/-(?!00001)\d{5}-of-\d{5}\.gguf$/.test(name),
  );
  const mapped = forEachModel((model) => {
    const desired = mapping[model];
    return desired.type === "source" ? fileOf(folder, desired.source) : null;
  });
  const used = Object.values(mapped).filter((path) => path !== null);
  const paths = new Set([...whole.sort().map((name) => join(folder, name)), ...used]);
  return Promise.all(
    [...paths].map(async (path) => ({
      path,
      ...(await factsOrProblem(path)),
      speed: await readSpeed(store, path),
      models: modelIds.filter((model) => mapped[model] === path),
    })),
  );
}

async function factsOrProblem(path: string): Promise<Pick<ListedWeights, "facts" | "problem">> {
  try {
    return { facts: await readWeightsFacts(path), problem: null };
  } catch (error) {
    return { facts: null, problem: error instanceof GgufError ? error.message : "cannot be read" };
  }
}
