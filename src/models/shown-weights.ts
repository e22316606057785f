/**
 * What people may know of the weights behind a model: a name, a licence, a speed. The name comes from the catalogue
 * where the file is one of its, else from the file's header. Nothing here fails: what cannot be read is not shown.
 */
import { basename } from "node:path";
import type { Store } from "../core/store.js";
import { entryOfFile } from "./choice/best-model.js";
import {
  embeddingStarterLicence,
  embeddingStarterTitle,
  isEmbeddingStarterFile,
} from "./embedding-starter/embedding-starter.js";
import { shownFacts } from "./gguf/gguf.js";
import { readSpeed } from "./measured-speed.js";
import { isStarterFile, starterLicence, starterTitle } from "./starter/starter.js";
import type { ModelWeightsView } from "../protocol/dashboard/api.js";

export type WeightsLabel = Omit<ModelWeightsView, "tokensPerSecond">;

/** Null where no file of this machine answers. */
export async function shownWeights(
  store: Pick<Store, "getSetting">,
  path: string | null,
): Promise<ModelWeightsView | null> {
  if (path === null) return null;
  const [label, speed] = await Promise.all([weightsLabel(path), readSpeed(store, path).catch(() => null)]);
  return { ...label, tokensPerSecond: speed?.tokensPerSecond ?? null };
}

export async function weightsLabel(path: string): Promise<WeightsLabel> {
  if (isStarterFile(path)) return { title: starterTitle, licence: starterLicence, isStarter: true };
  if (isEmbeddingStarterFile(path))
    return { title: embeddingStarterTitle, licence: embeddingStarterLicence, isStarter: false };
  const entry = entryOfFile(path);
  if (entry !== null) return { title: entry.title, licence: entry.licence, isStarter: false };
  const facts = await shownFacts(path);
  return {
    title: oneLine(facts?.name) ?? basename(path, ".gguf"),
    licence: oneLine(facts?.licence),
    isStarter: false,
  };
}

const longestText = 80;

/** A file may have come from anywhere. */
function oneLine(text: string | null | undefined): string | null {
  const shown = text
    ?.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestText);
  return shown === undefined || shown === "" ? null : shown;
}
