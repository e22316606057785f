/** Whether a file can be put behind a model, looked at before anything is loaded or let go. */
import { stat } from "node:fs/promises";
import { chatArchitectures, otherArchitectures } from "./architectures.js";
import { readWeightsFacts, type WeightsFacts } from "./gguf.js";
import { GgufError } from "./gguf-header.js";
import { memoryNeed, type ConfiguredSize } from "./memory.js";
import { gigabytes } from "../files/sizes.js";
import { WeightsError } from "../weights-error.js";

export interface Machine extends ConfiguredSize {
  /** Memory that is free or can be freed. Infinity leaves it unchecked. */
  availableBytes: number;
}

/** Rejects with `WeightsError` that names the file and the reason. */
export async function checkWeights(path: string, machine: Machine): Promise<WeightsFacts> {
  const facts = await readFacts(path);
  const fault = findError(facts, machine);
  if (fault !== null) throw new WeightsError(`${path} ${fault}.`);
  return facts;
}

/** What keeps the engine from running it here, as the end of a sentence; null when nothing does. */
function findError(facts: WeightsFacts, machine: Machine): string | null {
  const { architecture } = facts;
  if (otherArchitectures.has(architecture)) return `is a ${architecture} model, which does not chat`;
  if (!chatArchitectures.has(architecture)) {
    return `has the architecture '${architecture}', which this version of the engine does not know`;
  }
  const { leastBytes } = memoryNeed(facts, machine);
  if (leastBytes <= machine.availableBytes) return null;
  return `needs at least ${gigabytes(leastBytes)} of memory, and ${gigabytes(machine.availableBytes)} are available: choose a smaller file or a smaller quantisation`;
}

async function readFacts(path: string): Promise<WeightsFacts> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new GgufError("is a folder, not a GGUF file");
    // Whoever reads from a pipe or a device may wait for ever.
    if (!found.isFile()) throw new GgufError("is not a regular file");
    return await readWeightsFacts(path);
  } catch (error) {
    if (error instanceof GgufError) throw new WeightsError(`${path} ${error.message}.`);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new WeightsError(`${path} does not exist.`);
    throw new WeightsError(
      `${path} cannot be read (${error instanceof Error ? error.message : "unknown fault"}).`,
    );
  }
}
