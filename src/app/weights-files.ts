/**
 * The files of weights that serve models together: found or created, checked, and with what was chosen for each (its
 * context, a draft model). The memory of the machine is divided among them, so all are prepared before one is loaded.
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type ConfiguredSize, type SizedModel, withDraft } from "../adapters/context-fit.js";
import type { Config } from "../config.js";
import type { ModelId } from "../core/models.js";
import type { LocalSource } from "../models/choice/source.js";
import { ensureEmbeddingStarter } from "../models/embedding-starter/embedding-starter.js";
import { checkWeights } from "../models/gguf/check-weights.js";
import { readWeightsFacts, type WeightsFacts } from "../models/gguf/gguf.js";
import { ensureStarterWeights } from "../models/starter/starter.js";
import type { WeightsProgress } from "../models/starter/starter-file.js";
import { starterMirror } from "../models/starter-mirror.js";
import { WeightsError } from "../models/weights-error.js";
import type { SpeedRecord } from "./speed-record.js";

export interface WeightsFile {
  readonly path: string;
  /** Null where its header cannot be read: the engine reports why. */
  readonly size: WeightsFacts | null;
  readonly isMeasured: boolean;
  /** The largest that was chosen for a model which it serves; undefined leaves it to the engine's configuration. */
  contextTokens: number | undefined;
  draft: Draft | undefined;
}

/** A smaller model that guesses its tokens. */
export interface Draft {
  path: string;
  size: WeightsFacts;
}

interface WeightsFilesOptions {
  speed: SpeedRecord;
  /** Of the server: each would load the weights. */
  processes: number;
  /** Resolves once it is known what computes here. */
  settle: () => Promise<void>;
  onProgress: WeightsProgress | undefined;
  onNotice: ((notice: string) => void) | undefined;
}

export class WeightsFiles {
  readonly #files = new Map<string, WeightsFile>();
  /** No notice is given twice. */
  readonly #notices = new Set<string>();

  constructor(
    private readonly config: Config,
    private readonly options: WeightsFilesOptions,
  ) {}

  /** The same object for every model that the file serves: what they choose for it is merged. */
  async prepare(model: ModelId, source: LocalSource): Promise<WeightsFile> {
    const { processes, speed } = this.options;
    if (processes > 1)
      throw new WeightsError(
        `${processes} processes would each load the weights. Set SOTTO_PROCESSES to 1, or have an engine on the network serve the model.`,
      );
    const path = await this.#locate(model, source);
    const known = this.#files.get(path);
    const size = known?.size ?? (await readWeightsFacts(path).catch(() => null));
    const isMeasured = await speed.readFile(path, size);
    const chosen = source.type === "weights" ? source : undefined;
    const draft =
      known?.draft ?? (chosen?.draft === undefined ? undefined : await checkDraft(chosen.draft, model));
    // Members of a pool are prepared concurrently, so the file may have been added meanwhile.
    const file = this.#files.get(path) ?? { path, size, isMeasured, contextTokens: undefined, draft };
    file.contextTokens = larger(file.contextTokens, chosen?.contextTokens);
    file.draft ??= draft;
    this.#files.set(path, file);
    return file;
  }

  /** Those that share the memory with it, as far as their size is known. */
  othersThan(file: WeightsFile): SizedModel[] {
    return [...this.#files.values()].flatMap((other) => {
      const size = wholeSize(other);
      return other === file || size === null
        ? []
        : [{ size, configured: configuredSize(this.config.engine, other.contextTokens) }];
    });
  }

  /**
   * The starter is created where it is missing; any other file is checked, so that a switch to an unusable one leaves
   * the running one in place. Resolves symbolic links: the same file under two names is loaded once.
   */
  async #locate(model: ModelId, source: LocalSource): Promise<string> {
    await this.options.settle();
    const { downloads, engine, service } = this.config;
    const dataDir = resolve(service.dataDir);
    const fetch = starterMirror(downloads.starterSource);
    if (source.type === "embedding-starter") return ensureEmbeddingStarter(dataDir, { fetch });
    if (source.type === "starter") {
      const { onProgress } = this.options;
      const onNotice = (notice: string) => {
        if (!this.#notices.has(notice)) this.options.onNotice?.(notice);
        this.#notices.add(notice);
      };
      const corrects = engine.reencodeStarter === "on";
      return realpath(await ensureStarterWeights(dataDir, { onProgress, onNotice, corrects, fetch }));
    }
    const path = resolve(source.path);
    await checkFile(path, model);
    return realpath(path);
  }
}

/** With its draft model. */
export const wholeSize = ({ size, draft }: WeightsFile): WeightsFacts | null =>
  size === null ? null : withDraft(size, draft?.size ?? null);

/** What was chosen with the weights takes precedence. */
export const configuredSize = (
  { sequences, contextTokens, cacheType }: Config["engine"],
  chosen: number | undefined,
): ConfiguredSize => ({ sequences, contextTokens: chosen ?? contextTokens, cacheType });

async function checkDraft(file: string, model: ModelId): Promise<Draft> {
  const path = resolve(file);
  const size = await checkFile(path, model);
  return { path: await realpath(path), size };
}

/** Whether it fits into memory was checked when it was chosen. */
const checkFile = (path: string, model: ModelId): Promise<WeightsFacts> =>
  checkWeights(path, { availableBytes: Infinity }, model);

const larger = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
