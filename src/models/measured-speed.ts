/** Tokens per second of a weights file as it last ran here, kept as a setting for `sotto models list`. */
import { basename } from "node:path";
import * as z from "zod";
import { parseStored } from "../adapters/json-file.js";
import type { ModelId } from "../core/models.js";
import { PeriodicTask } from "../core/periodic-task.js";
import type { Store } from "../core/store.js";
import { machineName } from "./machine-speed.js";

const schema = z.object({
  tokensPerSecond: z.number().positive(),
  at: z.coerce.date(),
  /** Absent in rows of earlier versions. */
  machine: z.string().optional(),
});
export type MeasuredSpeed = Omit<z.infer<typeof schema>, "machine">;

const setting = (path: string): string => `speed.${basename(path)}`;

/** One stream's rate of generated tokens. */
export async function recordSpeed(
  store: Pick<Store, "setSetting">,
  path: string,
  measured: MeasuredSpeed,
): Promise<void> {
  await store.setSetting(setting(path), JSON.stringify({ ...measured, machine: machineName() }));
}

/** Null where it has not run on this machine. */
export async function readSpeed(
  store: Pick<Store, "getSetting">,
  path: string,
): Promise<MeasuredSpeed | null> {
  const row = parseStored(schema, await store.getSetting(setting(path)));
  if (row === null) return null;
  const { machine = machineName(), ...speed } = row;
  return machine === machineName() ? speed : null;
}

/** Weight of the latest gap in the moving average. */
const smoothing = 0.05;
const minGaps = 20;

/** A moving average of each model's generation speed, recorded periodically. */
export class SpeedNotes {
  readonly #gaps = new Map<ModelId, { ms: number; count: number }>();
  readonly #notes: PeriodicTask;

  constructor(
    private readonly store: Pick<Store, "setSetting">,
    /** The file that answers for the model on this machine; null where none does. */
    private readonly fileOf: (model: ModelId) => string | null,
  ) {
    this.#notes = new PeriodicTask(() => this.#note(), 60_000);
  }

  /** `tokens` arrived together, `gapMs` after those before them. */
  add(model: ModelId, gapMs: number, tokens: number): void {
    const newestMs = gapMs / tokens;
    const { ms, count } = this.#gaps.get(model) ?? { ms: newestMs, count: 0 };
    const weight = 1 - (1 - smoothing) ** tokens;
    this.#gaps.set(model, { ms: ms + weight * (newestMs - ms), count: count + tokens });
  }

  /** Never rejects: a speed that is not recorded is no loss. */
  flush(): Promise<void> {
    return this.#notes.run();
  }

  close(): Promise<void> {
    return this.#notes.finish();
  }

  async #note(): Promise<void> {
    for (const [model, { ms, count }] of this.#gaps) {
      const file = this.fileOf(model);
      if (count < minGaps || ms <= 0 || file === null) continue;
      this.#gaps.delete(model);
      const tokensPerSecond = Math.round(10_000 / ms) / 10;
      await recordSpeed(this.store, file, { tokensPerSecond, at: new Date() }).catch(() => undefined);
    }
  }
}
