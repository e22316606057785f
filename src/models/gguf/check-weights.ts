/** Whether a file can serve a model, checked before anything is loaded or unloaded. */
import { stat } from "node:fs/promises";
import type { ConfiguredSize } from "../../adapters/context-fit.js";
import { isChatModelId, type ModelId } from "../../core/models.js";
import { chatArchitectures, embeddingArchitectures, otherArchitectures } from "./architectures.js";
import { readWeightsFacts, type WeightsFacts } from "./gguf.js";
import { GgufError } from "./gguf-header.js";
import { leastMemory } from "./memory.js";
import { formatBytes } from "../sizes.js";
import { WeightsError } from "../weights-error.js";

export interface Machine extends ConfiguredSize {
  /** Memory that is free or can be freed. Infinity leaves it unchecked. */
  availableBytes: number;
}

/**
 * Rejects with `WeightsError` that names the file, the reason and what to do. `model` is the one that it is to serve;
 * without it, one that chats.
 */
export async function checkWeights(
  path: string,
  machine: Machine,
  model: ModelId = "omega",
): Promise<WeightsFacts> {
  const facts = await readFacts(path);
  const refusal = findRefusal(facts, machine, model);
  if (refusal !== null) throw new WeightsError(`${path} ${refusal}`);
  return facts;
}

/** The same, of weights and of a draft model beside them. */
export async function checkWithDraft(
  path: string,
  draft: string | undefined,
  machine: Machine,
  model: ModelId,
): Promise<void> {
  const { bytes } = await checkWeights(path, machine, model);
  if (draft === undefined) return;
  if (!isChatModelId(model)) throw new WeightsError(`${model} writes no replies: it takes no draft model.`);
  await checkWeights(draft, { ...machine, availableBytes: machine.availableBytes - bytes }, model);
}

const another = "Choose another model: 'sotto models catalog' lists some.";

/** What keeps the engine from running it here, after the name of the file; null when nothing does. */
function findRefusal(facts: WeightsFacts, machine: Machine, model: ModelId): string | null {
  const { architecture } = facts;
  const embeds = embeddingArchitectures.has(architecture);
  if (isChatModelId(model) && embeds)
    return `is a ${architecture} model, which does not chat. Use it for iota, or choose another model: 'sotto models catalog' lists some.`;
  if (otherArchitectures.has(architecture))
    return `is a ${architecture} model, which does not ${isChatModelId(model) ? "chat" : "embed"}. ${another}`;
  // Some models that embed have the architecture of one that chats.
  if (!embeds && !chatArchitectures.has(architecture)) {
    return `has the architecture '${architecture}', which this version of the engine does not know. ${another}`;
  }
  const leastBytes = leastMemory(facts, machine);
  if (leastBytes <= machine.availableBytes) return null;
  return `needs at least ${formatBytes(leastBytes)} of memory, and ${formatBytes(machine.availableBytes)} are available. Choose a smaller model or a smaller quantisation of it.`;
}

async function readFacts(path: string): Promise<WeightsFacts> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new GgufError("is a folder, not a GGUF file");
    // Reading from a pipe or a device may block forever.
    if (!found.isFile()) throw new GgufError("is not a regular file");
    return await readWeightsFacts(path);
  } catch (error) {
    throw new WeightsError(`${path} ${describeUnreadable(error)}`);
  }
}

function describeUnreadable(error: unknown): string {
  if (error instanceof GgufError) return `${error.message}. ${remedyFor(error.message)}`;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  switch (code) {
    case "ENOENT":
      return "does not exist. Check the path, or download it: sotto models pull …";
    case "EACCES":
    case "EPERM":
      return `cannot be read: this user has no permission (${code}). Let the user that runs Sotto read it.`;
    default:
      return `cannot be read (${code}). Check its disk, or choose another file.`;
  }
}

function remedyFor(reason: string): string {
  if (reason.includes("name its part 1")) return "The other parts are found beside it.";
  if (/truncated|does not exist/.test(reason)) return "Download it again: sotto models pull …";
  if (/not a GGUF file|not a regular file/.test(reason)) return another;
  return "The file is damaged, or its format is not supported. Download it again, or choose another model.";
}
