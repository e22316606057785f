/**
 * Chooses another source for a model, for `sotto models use` and the dashboard. The previous source is kept in a
 * setting of its own, one step back, so that a change can be undone; undoing is a change, too, and can be undone.
 */
import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { parseStored } from "../../adapters/json-file.js";
import type { Store } from "../../core/store.js";
import type { EngineMember } from "../../protocol/engine-member.js";
import type { ModelId } from "../../core/models.js";
import { checkWeights } from "../gguf/check-weights.js";
import { configuredSource, type ConfiguredModels } from "./mapping.js";
import { isStarter, modelSourceSchema, sourceSetting, starterOf, type ModelSource } from "./source.js";
import { WeightsError } from "../weights-error.js";

/** Not below `model.`: a change of it must not make servers reload models. */
const previousSetting = (model: ModelId): string => `previous_model.${model}`;

/** The setting of the configuration that decides what answers for the model; null where it leaves that open. */
export function fixedBy(models: ConfiguredModels, model: ModelId): string | null {
  const configured = configuredSource(models, model);
  if (configured?.type !== "source") return null;
  const kind = configured.source.type === "upstreams" ? "UPSTREAMS" : "WEIGHTS";
  return `SOTTO_MODELS_${model.toUpperCase()}_${kind}`;
}

/** What the configuration fixes, a stored setting would not change. */
export function requireFree(models: ConfiguredModels, model: ModelId): void {
  const name = fixedBy(models, model);
  if (name === null) return;
  throw new WeightsError(
    `${model} is fixed by the configuration (${name}), which takes precedence over what is chosen here. Remove it there first.`,
  );
}

type Settings = Pick<Store, "getSetting" | "setSetting">;

/** Stores it and remembers the previous one; resolves with a function that undoes both. */
export async function storeSource(
  store: Settings,
  model: ModelId,
  source: ModelSource,
): Promise<() => Promise<void>> {
  const [current, previous] = await Promise.all([
    store.getSetting(sourceSetting(model)),
    store.getSetting(previousSetting(model)),
  ]);
  const next = isStarter(source) ? "" : JSON.stringify(source);
  if (next === (current ?? "")) return async () => undefined;
  // "default" rather than nothing: there is something to go back to.
  await store.setSetting(previousSetting(model), current === null || current === "" ? "default" : current);
  await store.setSetting(sourceSetting(model), next);
  return async () => {
    await store.setSetting(sourceSetting(model), current ?? "");
    await store.setSetting(previousSetting(model), previous ?? "");
  };
}

/** What answered before the latest change; null when there was none, or it cannot be read. */
export async function previousSource(
  store: Pick<Store, "getSetting">,
  model: ModelId,
): Promise<ModelSource | null> {
  const row = await store.getSetting(previousSetting(model));
  return row === "default" ? starterOf(model) : parseStored(modelSourceSchema, row);
}

/** The same for a roll-back. Throws `WeightsError` where there is none, or its file cannot be used any more. */
export async function requirePrevious(
  store: Pick<Store, "getSetting">,
  model: ModelId,
): Promise<ModelSource> {
  const source = await previousSource(store, model);
  if (source === null)
    throw new WeightsError(`${model} has not been changed: there is nothing to return to.`);
  // It fitted when it was chosen; the engine reports whether it still loads.
  if (source.type === "weights") await checkWeights(source.path, { availableBytes: Infinity }, model);
  return source;
}

/** A file of the models folder by its name, or any by its absolute path. */
export function findOnServer(folder: string, text: string): string {
  const isName = !/[/\\\0]/.test(text) && text !== "." && text !== "..";
  if (!isName && (!isAbsolute(text) || text.includes("\0"))) {
    throw new WeightsError("Enter the name of a file in the models folder, or an absolute path.");
  }
  const here = join(folder, text);
  const found = firstExisting(isName ? [here, `${here}.gguf`] : [resolve(text)]);
  if (found !== null) return found;
  throw new WeightsError(isName ? `There is no ${text} in ${folder}.` : `There is no file ${text}.`);
}

export const firstExisting = (paths: readonly string[]): string | null =>
  paths.find((path) => existsSync(path)) ?? null;

/** Engines on the network as a source. Throws `WeightsError` for what is not valid. */
export function upstreamSource(members: readonly object[]): { source: ModelSource; members: EngineMember[] } {
  const parsed = modelSourceSchema.safeParse({ type: "upstreams", upstreams: members });
  if (parsed.success && parsed.data.type === "upstreams") {
    return { source: parsed.data, members: parsed.data.upstreams };
  }
  const [issue] = parsed.error?.issues ?? [];
  throw new WeightsError(`An address of a server ${issue?.message ?? "is not valid"}.`);
}
