/**
 * Which backend the embedded engines of this process compute on: the first of CUDA, Vulkan and Metal that has
 * proved itself in a throwaway process (`probe.ts`), else the CPU. Each is tried at most once for a fingerprint
 * of driver, cards and binding; the results are remembered (`probe-cache.ts`). A backend that fails later, with
 * certain weights, is given up for those weights in the same way.
 *
 * Lack of memory is not remembered beyond this process: it depends on what else runs on the card.
 */
import type { Config } from "../../../config.js";
import type { Backend, GpuBackend } from "../backends.js";
import { engineEnvironment } from "../child-environment.js";
import { isTransient, kindOf, wordsOf } from "./failures.js";
import { ownLibrary } from "./library/own-library.js";
import { type GpuPresence, lookForGpu } from "./presence.js";
import {
  type BackendFailure,
  type LoadSubject,
  type ProbeCache,
  probeCacheIn,
  type ProbeResults,
} from "./probe-cache.js";
import { probe, type ProbeOptions } from "./probe.js";

/** Simulates a machine in tests. */
export interface GpuMachine extends Pick<ProbeOptions, "program" | "limitMs"> {
  look?: (() => GpuPresence) | undefined;
}

export interface GpuChoiceOptions extends GpuMachine {
  /** By default in the data directory. */
  cache?: ProbeCache;
  now: () => Date;
  /** A backend is about to be tried, which takes seconds. */
  onProbing?: ((backend: GpuBackend) => void) | undefined;
  /** Called once per process, also for a failure that was remembered. */
  onFailed?: ((failure: BackendFailure, next: Backend) => void) | undefined;
}

const mostFailuresKept = 32;

export class GpuChoice {
  #settled: Promise<void> | undefined;
  #candidates: readonly GpuBackend[] = [];
  #known: ProbeResults = { fingerprint: "", driver: "", works: [], failures: [] };
  readonly #reported = new Set<BackendFailure>();
  readonly #cache: ProbeCache;

  constructor(
    private readonly config: Config,
    private readonly options: GpuChoiceOptions,
  ) {
    this.#cache = options.cache ?? probeCacheIn(config.service.dataDir);
  }

  /** Chooses, once, what to compute on. Never rejects. */
  settle(): Promise<void> {
    this.#settled ??= this.#settle();
    return this.#settled;
  }

  /** The driver in words; "" where its version is not known. */
  get driver(): string {
    return this.#known.driver;
  }

  /** What is used unless certain weights fail there, and when it passed its probe; null: the CPU. */
  get best(): ProbeResults["works"][number] | null {
    const backend = this.#candidates.find((candidate) => this.#isProven(candidate, null));
    return (backend === undefined ? undefined : this.#proof(backend)) ?? null;
  }

  /** How many backends an engine may have to go through. */
  get ways(): number {
    return this.#candidates.length + 1;
  }

  /** For one engine, which may give up a backend for its weights. Only after `settle`. */
  forEngine(subject: LoadSubject): EngineBackends {
    const first = this.#candidates.find((backend) => this.#isProven(backend, subject)) ?? "cpu";
    this.#report(subject, first);
    return new EngineBackends(this, subject, first);
  }

  /** What comes after a backend that failed with these weights. */
  async after(failed: GpuBackend, subject: LoadSubject | null): Promise<Backend> {
    return this.#firstUsable(this.#candidates.slice(this.#candidates.indexOf(failed) + 1), subject);
  }

  /** Records that a backend failed after it had passed its probe. */
  giveUp(failure: Omit<BackendFailure, "at">, next: Backend): void {
    this.#record(failure);
    this.#report(failure.subject, next);
  }

  /** Those that keep these weights from being computed there; null: any weights. */
  failures(subject: LoadSubject | null): BackendFailure[] {
    return this.#known.failures.filter(
      (failure) => failure.subject === null || (subject !== null && isSame(failure.subject, subject)),
    );
  }

  /** Everything that is known, whatever the weights. */
  allFailures(): readonly BackendFailure[] {
    return this.#known.failures;
  }

  async #settle(): Promise<void> {
    const { dataDir } = this.config.service;
    const { gpu, cacheType = "f16" } = this.config.engine;
    const ownFile = (backend: GpuBackend) => ownLibrary(dataDir, backend)?.file;
    if (gpu === "off") {
      // Turned on again, it is tried again.
      this.#cache.forget();
      return;
    }
    const presence = this.options.look?.() ?? lookForGpu({ env: engineEnvironment(), ownLibrary: ownFile });
    // The cache's type decides which kernels are needed.
    const fingerprint = `${presence.fingerprint} ${cacheType}`;
    this.#candidates = presence.candidates;
    this.#known = this.#cache.read(fingerprint) ?? { ...this.#known, fingerprint, driver: presence.driver };
    const first = await this.#firstUsable(this.#candidates, null);
    const [unused] = presence.withoutLibrary;
    if (first === "cpu" && unused !== undefined)
      this.#recordProbe(unused, { kind: "not_installed", words: "its library is not installed" });
    this.#report(null, first);
  }

  async #firstUsable(candidates: readonly GpuBackend[], subject: LoadSubject | null): Promise<Backend> {
    for (const backend of candidates) {
      if (this.#hasFailed(backend, subject)) continue;
      if (this.#proof(backend) === undefined) await this.#try(backend);
      if (this.#isProven(backend, subject)) return backend;
    }
    return "cpu";
  }

  async #try(backend: GpuBackend): Promise<void> {
    const { program, limitMs, onProbing, now } = this.options;
    const { service, engine } = this.config;
    onProbing?.(backend);
    const outcome = await probe({
      backend,
      cacheType: engine.cacheType ?? "f16",
      env: engineEnvironment(),
      library: ownLibrary(service.dataDir, backend)?.folder,
      program,
      limitMs,
    });
    if (outcome.type === "failed") {
      this.#recordProbe(backend, outcome);
      return;
    }
    this.#known.works.push({ backend, devices: outcome.devices, at: now().toISOString() });
    this.#save();
  }

  #proof(backend: GpuBackend): ProbeResults["works"][number] | undefined {
    return this.#known.works.find((one) => one.backend === backend);
  }

  #isProven(backend: GpuBackend, subject: LoadSubject | null): boolean {
    return this.#proof(backend) !== undefined && !this.#hasFailed(backend, subject);
  }

  #hasFailed(backend: GpuBackend, subject: LoadSubject | null): boolean {
    return this.failures(subject).some((failure) => failure.backend === backend);
  }

  #recordProbe(backend: GpuBackend, { kind, words }: Pick<BackendFailure, "kind" | "words">): void {
    this.#record({ backend, during: "probe", kind, words, subject: null });
  }

  #record(failure: Omit<BackendFailure, "at">): void {
    const at = this.options.now().toISOString();
    this.#known.failures = [...this.#known.failures, { ...failure, at }].slice(-mostFailuresKept);
    this.#save();
  }

  #save(): void {
    const failures = this.#known.failures.filter(({ kind }) => !isTransient(kind));
    this.#cache.write({ ...this.#known, failures });
  }

  #report(subject: LoadSubject | null, next: Backend): void {
    for (const failure of this.failures(subject).filter((one) => !this.#reported.has(one))) {
      this.#reported.add(failure);
      this.options.onFailed?.(failure, next);
    }
  }
}

const isSame = (one: LoadSubject, other: LoadSubject): boolean =>
  one.weights === other.weights && one.sizes === other.sizes;

export interface EngineFailure {
  /** Loading, or computing replies later. */
  during: "load" | "run";
  reason: string;
}

/**
 * The backend of one engine, and those it fell back from. A failure is blamed on a backend only when the same
 * weights have loaded on the next one: a damaged file fails everywhere.
 */
export class EngineBackends {
  current: Backend;
  #suspected: Omit<BackendFailure, "at">[] = [];

  constructor(
    private readonly choice: GpuChoice,
    private readonly subject: LoadSubject,
    first: Backend,
  ) {
    this.current = first;
  }

  /** What to load on instead; null when nothing is left. */
  fallBack({ during, reason }: EngineFailure): Promise<Backend> | null {
    const { current: backend, subject } = this;
    if (backend === "cpu") return null;
    const words = wordsOf(reason);
    const known = kindOf(words);
    const kind = known === "failed" && during === "run" ? "crashed" : known;
    this.#suspected.push({ backend, during, kind, words, subject });
    return this.choice.after(backend, subject).then((next) => {
      this.current = next;
      return next;
    });
  }

  loaded(): void {
    for (const failure of this.#suspected.splice(0)) this.choice.giveUp(failure, this.current);
  }

  failures(): BackendFailure[] {
    return this.choice.failures(this.subject);
  }
}
