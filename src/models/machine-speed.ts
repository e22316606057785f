/**
 * How fast this machine goes through weights, kept as a setting, and from it how fast a file will run that is not here
 * yet. A token of one reply reads every weight that takes part in it once, and on nearly all machines reading them is
 * what takes the time: those bytes divided by bytes a second, and a little for everything else. The engine measures
 * single steps when it loads a file for the first time. Of several files the largest counts, since caches flatter
 * small ones.
 */
import { availableParallelism, cpus, totalmem } from "node:os";
import * as z from "zod";
import { parseStored } from "../adapters/json-file.js";
import type { Store } from "../core/store.js";

const setting = "machine_speed";

const schema = z.object({
  /** Measured elsewhere, it says nothing: databases are moved. */
  machine: z.string(),
  backend: z.string(),
  bytesPerSecond: z.number().positive(),
  /** Of the file that it was measured with. */
  activeBytes: z.number().positive(),
});
export type MachineSpeed = z.infer<typeof schema>;

/** Of a token, whatever the size of the weights: sampling it, and waking threads. `bench -- speed` compares. */
const otherMs = 3;

export const bytesPerSecondOf = (activeBytes: number, tokenMs: number): number =>
  Math.round((activeBytes / Math.max(tokenMs - otherMs, tokenMs / 4)) * 1000);

const gib = 1024 ** 3;

export const machineName = (): string =>
  `${cpus()[0]?.model.trim() ?? process.arch}, ${availableParallelism()} cores, ${Math.round(totalmem() / gib)} GiB`;

/** Null until it has been measured on this machine. */
export async function readMachineSpeed(store: Pick<Store, "getSetting">): Promise<MachineSpeed | null> {
  const speed = parseStored(schema, await store.getSetting(setting));
  return speed?.machine === machineName() ? speed : null;
}

/** Resolves with what counts from now on. */
export async function noteSteps(
  store: Pick<Store, "getSetting" | "setSetting">,
  { backend, activeBytes, tokenMs }: { backend: string; activeBytes: number; tokenMs: number },
): Promise<MachineSpeed> {
  const known = await readMachineSpeed(store);
  if (known?.backend === backend && known.activeBytes > activeBytes) return known;
  const bytesPerSecond = bytesPerSecondOf(activeBytes, tokenMs);
  const speed = { machine: machineName(), backend, bytesPerSecond, activeBytes };
  await store.setSetting(setting, JSON.stringify(speed));
  return speed;
}

/**
 * Replies have shown since that it is faster than the steps were, which something else had slowed down. Resolves with
 * what counts from now on; null where nothing was measured.
 */
export async function noteReplies(
  store: Pick<Store, "getSetting" | "setSetting">,
  { activeBytes, tokensPerSecond }: { activeBytes: number; tokensPerSecond: number },
): Promise<MachineSpeed | null> {
  const known = await readMachineSpeed(store);
  const bytesPerSecond = bytesPerSecondOf(activeBytes, 1000 / tokensPerSecond);
  if (known?.activeBytes !== activeBytes || known.bytesPerSecond >= bytesPerSecond) return known;
  const speed = { ...known, bytesPerSecond };
  await store.setSetting(setting, JSON.stringify(speed));
  return speed;
}

/** Of one reply that runs alone. */
export const expectedTokensPerSecond = (activeBytes: number, bytesPerSecond: number): number =>
  Math.round(10_000 / ((activeBytes / bytesPerSecond) * 1000 + otherMs)) / 10;
