/**
 * SHA-256 of weights files. One that was verified when it was downloaded has it noted beside it; any other is hashed in
 * a thread, and size, modification time and hash are kept as a setting, so that the next start knows it at once.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { parseStored } from "../adapters/json-file.js";
import { programFile } from "../adapters/program-files.js";
import { WorkerThread } from "../adapters/worker-thread.js";
import type { Store } from "../core/store.js";
import { digestIn, digestSchema, verifiedDigest } from "./files/verified-file.js";

const startMs = 60_000;
const hashMs = 3_600_000;
/** Of files that are or were behind a model while this process runs. */
const mostFiles = 100;

interface Known {
  bytes: number;
  mtimeMs: number;
  /** Null while it is computed. */
  sha256: string | null;
}

export class WeightsDigests {
  readonly #known = new Map<string, Known>();
  #hashing: Promise<unknown> = Promise.resolve();
  readonly #thread = new WorkerThread<string, string | null>({
    file: programFile("models/files/hash-worker"),
    startMs,
    taskMs: hashMs,
  });

  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    /** Called when the hash of a file has become known. */
    private readonly onKnown: () => void,
  ) {}

  /** Null while it is not known; then it is being computed. Never rejects. */
  async of(path: string): Promise<string | null> {
    const file = await stat(path).catch(() => null);
    if (file === null) return null;
    const { size: bytes, mtimeMs } = file;
    const known = this.#known.get(path);
    if (known?.bytes === bytes && known.mtimeMs === mtimeMs) return known.sha256;
    const sha256 = (await verifiedDigest(path, file)) ?? (await this.#read(path, file));
    if (this.#known.size >= mostFiles) this.#known.clear();
    this.#known.set(path, { bytes, mtimeMs, sha256 });
    if (sha256 === null) this.#hashing = this.#hashing.then(() => this.#hash(path, { bytes, mtimeMs }));
    return sha256;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #hash(path: string, seen: Omit<Known, "sha256">): Promise<void> {
    const sha256 = await this.#thread.run(path).catch(() => null);
    await this.#thread.close();
    if (sha256 === null) return;
    this.#known.set(path, { ...seen, sha256 });
    // What is not noted is hashed again at the next start.
    await this.store.setSetting(setting(path), JSON.stringify({ ...seen, sha256 })).catch(() => undefined);
    this.onKnown();
  }

  async #read(path: string, file: { size: number; mtimeMs: number }): Promise<string | null> {
    const note = await this.store.getSetting(setting(path)).catch(() => null);
    return digestIn(parseStored(digestSchema, note), file);
  }
}

/** Without the path, which is private to this machine. */
const setting = (path: string): string =>
  `weights_sha256.${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
