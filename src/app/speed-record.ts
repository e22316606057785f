/** How fast this machine and its weights files are: measured when a file is loaded first, corrected by its replies. */
import type { Clock } from "../core/clock.js";
import type { Store } from "../core/store.js";
import type { LoadedFacts } from "../engines/llama/messages.js";
import type { WeightsFacts } from "../models/gguf/gguf.js";
import { noteReplies, noteSteps, readMachineSpeed } from "../models/machine-speed.js";
import { readSpeed, recordSpeed } from "../models/measured-speed.js";

export class SpeedRecord {
  /** Of weights, as measured on this machine; null before any were loaded. */
  bytesPerSecond: number | null = null;

  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    private readonly clock: Clock,
  ) {}

  /** Reads what an earlier start measured. */
  async read(): Promise<void> {
    this.bytesPerSecond = (await readMachineSpeed(this.store))?.bytesPerSecond ?? null;
  }

  /** Whether the file has run here. What its replies have shown since is taken over. */
  async readFile(path: string, size: WeightsFacts | null): Promise<boolean> {
    const speed = await readSpeed(this.store, path);
    if (speed === null) return false;
    if (size !== null) {
      const { tokensPerSecond } = speed;
      const known = await noteReplies(this.store, { activeBytes: size.activeBytes, tokensPerSecond });
      this.bytesPerSecond = known?.bytesPerSecond ?? this.bytesPerSecond;
    }
    return true;
  }

  /** Never rejects: what is not noted is measured again. */
  async noteLoaded(path: string, { activeBytes }: WeightsFacts, facts: LoadedFacts): Promise<void> {
    const { tokenMs = 0, gpu: backend } = facts;
    if (tokenMs <= 0 || activeBytes <= 0) return;
    try {
      const tokensPerSecond = Math.round(10_000 / tokenMs) / 10;
      await recordSpeed(this.store, path, { tokensPerSecond, at: this.clock.now() });
      this.bytesPerSecond = (await noteSteps(this.store, { backend, activeBytes, tokenMs })).bytesPerSecond;
    } catch {
      return;
    }
  }
}
