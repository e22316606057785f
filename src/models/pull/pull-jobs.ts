/**
 * Pulls that run in the server: a few concurrently, the others queued, all of them in a bounded list. Pausing keeps
 * what has arrived on disk, as does a server that ends; cancelling removes it. Two pulls never write the same file:
 * each claims its names first. A pull fails when nothing arrives any more, since every step of a download has a time
 * limit.
 */
import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Pulls } from "../../core/admin/ports.js";
import { UserError } from "../../core/user-error.js";
import type { Clock } from "../../core/clock.js";
import { withTimeLimit } from "../../core/time-limit.js";
import type { PullRequest, PullView } from "../../core/model-views.js";
import type { ModelId } from "../../core/models.js";
import { removePartial } from "./download.js";
import {
  FinalDownloadError,
  requireDownloadable,
  shownAddress,
  type DownloadSettings,
} from "./download-request.js";
import { pullWeights, type Pulled, type PullOptions } from "./pull.js";
import { isFileAddress, parseReference } from "./reference.js";
import { loadPulls, type SavedPull, savePulls } from "./saved-pulls.js";
import { TransferRate } from "./transfer-rate.js";
import { removeVerified } from "../files/verified-file.js";
import { WeightsError } from "../weights-error.js";

export interface PullJobsOptions {
  folder: string;
  /** With `allowedHosts`. */
  download: DownloadSettings;
  clock: Clock;
  /** Called with errors that are bugs rather than failed downloads. */
  reportError: (error: unknown) => void;
  /** Switches the model over to what was pulled for it; rejects with `UserError` where that cannot be. */
  use: (weights: { pullId: string; model: ModelId; file: string; contextTokens?: number }) => Promise<void>;
  /** Why none may be started here. */
  refusal?: string | undefined;
  pull?: (reference: string, options: PullOptions) => Promise<Pulled>;
  retryMs?: number;
}

type Progress = Pick<
  PullView,
  "state" | "reason" | "file" | "fileNumber" | "fileCount" | "doneBytes" | "totalBytes"
>;

interface Job extends Readonly<Omit<SavedPull, "names">>, Progress {
  /** It failed permanently: neither its URL, which may be signed, nor its files stay on the disk. */
  isFinal: boolean;
  names: readonly string[];
  /** Of these, those that it found missing: they are its own. */
  readonly downloads: Set<string>;
  readonly rate: TransferRate;
  stop: AbortController;
  /** Settles when its work has ended; null while there is none. */
  running: Promise<void> | null;
}

const maxJobs = 20;
const maxRunning = 2;
/** For a stopped pull to close its files. */
const stopMs = 10_000;

export class PullJobs implements Pulls {
  #jobs: Job[];
  /** The names that are being written, and by which. */
  readonly #claimed = new Map<string, Job>();
  #isClosed = false;

  constructor(private readonly options: PullJobsOptions) {
    this.#jobs = loadPulls(options.folder)
      .slice(0, maxJobs)
      .map((saved) => newJob(saved, "paused", "The server was restarted."));
  }

  list(): PullView[] {
    return this.#jobs.map(viewOf);
  }

  start({ reference, sha256, model, use, contextTokens }: PullRequest): PullView {
    this.#requireAllowed();
    const text = reference.trim();
    this.#check(text);
    const same = this.#jobs.find((job) => job.state !== "done" && sameReference(job.reference, text));
    if (same !== undefined && same.state !== "failed") {
      throw new WeightsError(
        same.state === "paused"
          ? `${shownReference(text)} is paused: resume it.`
          : `${shownReference(text)} is being pulled already.`,
      );
    }
    const job = newJob(
      {
        id: randomUUID(),
        reference: text,
        names: [],
        sha256: sha256?.toLowerCase() ?? null,
        model: model ?? null,
        use: use ?? false,
        contextTokens: contextTokens ?? null,
      },
      "waiting",
    );
    this.#jobs = [...this.#makeRoom(same), job];
    this.#pump();
    return viewOf(job);
  }

  pause(id: string): PullView {
    const job = this.#require(id);
    if (job.state !== "done" && job.state !== "failed") {
      job.state = "paused";
      job.stop.abort(new WeightsError("Paused."));
      this.#pump();
    }
    return viewOf(job);
  }

  resume(id: string): PullView {
    this.#requireAllowed();
    const job = this.#require(id);
    if (job.state === "paused" || job.state === "failed") {
      job.state = "waiting";
      job.reason = "";
      job.isFinal = false;
      this.#pump();
    }
    return viewOf(job);
  }

  async cancel(id: string): Promise<PullView> {
    const job = this.#require(id);
    const view = viewOf(job);
    this.#jobs = this.#jobs.filter((other) => other !== job);
    job.stop.abort(new WeightsError("Cancelled."));
    this.#save();
    if (view.state === "done") return view;
    // It may get its final name while it is being stopped, so what it has written is removed afterwards.
    const removed = (job.running ?? Promise.resolve()).then(async () => {
      await this.#removePartials(job);
      for (const name of this.#unclaimed(job.downloads))
        await removeVerified(join(this.options.folder, name));
    });
    await withTimeLimit(removed, stopMs).catch(() => undefined);
    return view;
  }

  /** Unfinished ones are offered again by the next start. */
  async close(): Promise<void> {
    this.#save();
    this.#isClosed = true;
    for (const { stop } of this.#jobs) stop.abort(new WeightsError("The server ends."));
    await Promise.all(this.#jobs.map(settled));
  }

  #requireAllowed(): void {
    if (this.options.refusal !== undefined) throw new WeightsError(this.options.refusal);
  }

  /** Before any request is sent. */
  #check(text: string): void {
    const reference = parseReference(text);
    if (reference.type === "local") {
      throw new WeightsError(
        "Enter hf:owner/repo, hf:owner/repo:Q4_K_M, hf:owner/repo/file.gguf or https://….gguf",
      );
    }
    if (reference.type === "hugging-face") return;
    const { url } = reference;
    if (url.username !== "" || url.password !== "") {
      throw new WeightsError("An address with a password in it is not accepted.");
    }
    if (!isFileAddress(url)) throw new WeightsError(`${shownAddress(url)} does not name a .gguf file.`);
    requireDownloadable(url, url, this.options.download.allowedHosts);
  }

  /**
   * The list with room for one more: without the failed job for the same reference, and without the oldest finished
   * ones.
   */
  #makeRoom(same: Job | undefined): Job[] {
    const kept = this.#jobs.filter((job) => job !== same);
    while (kept.length >= maxJobs) {
      const over = kept.findIndex(({ state }) => state === "done" || state === "failed");
      if (over === -1) throw new WeightsError(`${maxJobs} pulls are on the list. Cancel one first.`);
      kept.splice(over, 1);
    }
    return kept;
  }

  #require(id: string): Job {
    const job = this.#jobs.find((one) => one.id === id);
    if (job === undefined) throw new WeightsError("There is no such pull any more.");
    return job;
  }

  #pump(): void {
    this.#save();
    for (const job of this.#jobs) {
      const running = this.#jobs.filter((one) => one.running !== null).length;
      if (this.#isClosed || running >= maxRunning) return;
      if (job.state === "waiting" && job.running === null) {
        job.running = this.#run(job).finally(() => {
          job.running = null;
          this.#pump();
        });
      }
    }
  }

  /** Never rejects. */
  async #run(job: Job): Promise<void> {
    job.stop = new AbortController();
    job.state = "running";
    job.isFinal = false;
    job.rate.restart();
    try {
      const { pull = pullWeights } = this.options;
      const pulled = await pull(job.reference, this.#optionsFor(job)).finally(() => this.#release(job));
      job.file = basename(pulled.path);
      job.totalBytes = job.doneBytes = pulled.facts.bytes;
      job.state = "done";
      // A paused pull of the same files may have brought some of them.
      if (this.#jobs.includes(job)) {
        for (const { downloads } of this.#jobs) for (const name of job.names) downloads.delete(name);
        await this.#use(job);
      }
    } catch (error) {
      if (job.stop.signal.aborted) return;
      job.reason = reasonOf(error);
      // It is here, and could not be used.
      if (job.state === "done") return;
      job.state = "failed";
      job.isFinal = error instanceof FinalDownloadError;
      if (job.isFinal) await this.#removePartials(job);
      if (!(error instanceof UserError)) this.options.reportError(error);
    }
  }

  /** Where it cannot be used, it stays here, with the reason. */
  async #use({ id: pullId, use, model, file, contextTokens }: Job): Promise<void> {
    if (!use || model === null) return;
    await this.options.use({ pullId, model, file, ...(contextTokens === null ? {} : { contextTokens }) });
  }

  async #removePartials({ names }: Job): Promise<void> {
    for (const name of this.#unclaimed(names)) await removePartial(join(this.options.folder, name));
  }

  /** Those that no other pull writes by now. */
  #unclaimed(names: Iterable<string>): string[] {
    return [...names].filter((name) => !this.#claimed.has(name));
  }

  #optionsFor(job: Job): PullOptions {
    const { folder, download, clock, retryMs } = this.options;
    return {
      ...download,
      folder,
      signal: job.stop.signal,
      sha256: job.sha256 ?? undefined,
      claim: (names) => this.#claim(job, names),
      onFile: (file, fileNumber, fileCount) => {
        Object.assign(job, { file, fileNumber, fileCount, doneBytes: 0, totalBytes: null });
        job.downloads.add(file);
        job.rate.restart();
        if (job.state === "checking") job.state = "running";
      },
      onProgress: (doneBytes, totalBytes) => {
        Object.assign(job, { doneBytes, totalBytes });
        job.rate.add(clock.monotonicMs(), doneBytes);
      },
      onChecking: () => {
        if (job.state === "running") job.state = "checking";
      },
      retryMs,
    };
  }

  #claim(job: Job, names: readonly string[]): void {
    const taken = names.find((name) => this.#claimed.has(name));
    if (taken !== undefined) throw new WeightsError(`${taken} is being pulled already.`);
    for (const name of names) this.#claimed.set(name, job);
    job.names = names;
    job.file = names[0] ?? "";
    this.#save();
  }

  #release(job: Job): void {
    for (const [name, holder] of this.#claimed) if (holder === job) this.#claimed.delete(name);
  }

  #save(): void {
    if (this.#isClosed) return;
    const unfinished = this.#jobs.filter(({ state, isFinal }) => state !== "done" && !isFinal);
    savePulls(
      this.options.folder,
      unfinished.map(({ id, reference, sha256, model, use, contextTokens, names }) => ({
        ...{ id, reference, sha256, model, use, contextTokens, names: [...names] },
      })),
    );
  }
}

const newJob = (start: SavedPull, state: Job["state"], reason = ""): Job => ({
  ...start,
  state,
  reason,
  isFinal: false,
  downloads: new Set(),
  file: start.names[0] ?? "",
  fileNumber: 1,
  fileCount: Math.max(1, start.names.length),
  doneBytes: 0,
  totalBytes: null,
  rate: new TransferRate(),
  stop: new AbortController(),
  running: null,
});

function viewOf(job: Job): PullView {
  const { id, model, use, state, file, fileNumber, fileCount, doneBytes, totalBytes, reason } = job;
  return {
    ...{ id, model, use, state, file, fileNumber, fileCount, doneBytes, totalBytes, reason },
    reference: shownReference(job.reference),
    bytesPerSecond: state === "running" ? job.rate.bytesPerSecond : null,
  };
}

/** Addresses of files may carry a signature. */
function shownReference(text: string): string {
  const reference = parseReference(text);
  return reference.type === "address" ? shownAddress(reference.url) : text;
}

/** An entry of the catalogue is the same as the reference it stands for. */
const sameReference = (a: string, b: string): boolean =>
  JSON.stringify(parseReference(a)) === JSON.stringify(parseReference(b));

const reasonOf = (error: unknown): string =>
  error instanceof UserError ? error.message : "Something went wrong on our side. Try again.";

/** Within a limit, whatever the pull does. */
const settled = async ({ running }: Job): Promise<void> => {
  if (running !== null) await withTimeLimit(running, stopMs).catch(() => undefined);
};
