/**
 * Turns the format that a request asks for into the grammar that constrains its reply.
 *
 * Schemas are compiled in one thread beside the event loop, under a time limit. Accounts are scheduled
 * fairly by the time they have used: one that sends schema after schema delays only itself. The queue is bounded, for
 * each account and in total. The same schema of the same account is compiled once, however many
 * requests want it at the same moment, and its outcome is kept for a while.
 *
 * An aborted request leaves its schema in the queue: otherwise an account that hangs up early would get more of the
 * thread than one that waits.
 */
import { hash } from "node:crypto";
import { programFile } from "../../adapters/program-files.js";
import { TaskLost, WorkerThread } from "../../adapters/worker-thread.js";
import { abortable } from "../abortable.js";
import type { ReplyFormat } from "../../core/chat/request.js";
import { type Clock, systemClock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import type { Kept } from "../../core/serving/engine-port.js";
import { FairQueue } from "../../core/serving/fair-queue.js";
import type { CallsRequest } from "./calls/calls-request.js";
import { RecentEntries } from "../recent-entries.js";
import type { Compiled, ToCompile } from "./grammar-worker.js";
import { objectGrammar } from "./json-schema/compile.js";
import type { Path } from "./json-schema/schema.js";

/** Compiles one at a time. One that takes too long is terminated, which frees all that it holds. */
type GrammarThread = Pick<WorkerThread<string, Compiled>, "run" | "close">;

export interface GrammarsOptions {
  clock?: Clock;
  thread?: GrammarThread;
  /** Whether outcomes are kept for the next request. */
  keeps?: boolean;
}

/** For one schema. Ordinary ones take a few milliseconds. */
const compileMs = 2_000;
const threadStartMs = 20_000;
/** More than any schema within the bounds takes. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** Of the outcomes that are kept, and what one takes besides its text. */
const maxKeptChars = 4 * 1024 * 1024;
const charsAround = 8 * 1024;
const maxWaiting = 256;
const longestWaitMs = 10_000;
const restShare = 2;
const longestRestMs = 500;
/** Of one account, queued or running. */
const maxOfAccount = 32;

/** `exhausted`: it took too long, or more memory than the thread has. */
type Outcome = Compiled | { type: "exhausted" };

interface InFlight {
  accountId: string;
  outcome: Promise<Outcome>;
}

export const grammarThread = (
  file = programFile("engines/structured-output/grammar-worker"),
): WorkerThread<string, Compiled> =>
  new WorkerThread({ file, startMs: threadStartMs, taskMs: compileMs, resourceLimits });

export class Grammars {
  readonly #clock: Clock;
  readonly #thread: GrammarThread;
  /** Clients send the same few schemas again and again. By account, so that times reveal nothing about another's. */
  readonly #kept: RecentEntries<Outcome>;
  readonly #queue: FairQueue;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #ofAccount = new Map<string, number>();
  #object: string | undefined;

  constructor({ clock = systemClock, thread, keeps = true }: GrammarsOptions = {}) {
    this.#clock = clock;
    this.#thread = thread ?? grammarThread();
    this.#kept = new RecentEntries(clock, keeps ? maxKeptChars : 0);
    this.#queue = new FairQueue({
      capacity: () => 1,
      maxLength: maxWaiting,
      maxWaitMs: longestWaitMs,
      clock,
    });
  }

  /** In GBNF; undefined: any text. Throws `invalid_value` for a schema that cannot be followed. */
  async of(format: ReplyFormat, accountId: string, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    switch (format.type) {
      case "text":
        return undefined;
      case "json_object":
        return (this.#object ??= objectGrammar());
      case "json_schema":
        return this.#compiled(
          { type: "schema", schema: format.schema, strict: format.strict === true },
          accountId,
          signal,
        );
    }
  }

  /** For replies that may call tools. Throws `invalid_value` for a schema that cannot be followed and must be. */
  async ofCalls(request: CallsRequest, accountId: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return this.#compiled({ type: "calls", request }, accountId, signal);
  }

  /** Those being compiled are still returned to their callers, and not cached. */
  forgetAccount(accountId: string): void {
    this.#kept.forgetAccount(accountId);
    for (const [key, inFlight] of this.#inFlight) {
      if (inFlight.accountId === accountId) this.#inFlight.delete(key);
    }
  }

  keptOf(accountId: string): Kept {
    return this.#kept.keptOf(accountId);
  }

  async close(): Promise<void> {
    this.#kept.clear();
    await this.#thread.close();
  }

  async #compiled(wanted: ToCompile, accountId: string, signal: AbortSignal): Promise<string> {
    const outcome = await abortable(this.#outcome(JSON.stringify(wanted), accountId), signal);
    switch (outcome.type) {
      case "grammar":
        return outcome.gbnf;
      case "refused":
        throw schemaRefusal(placeOf(outcome.tool), outcome.path, outcome.reason);
      case "exhausted":
        // Of all that was compiled together.
        throw schemaRefusal(wanted.type === "calls" ? "tools" : formatSchema, [], tooLong);
      case "failed":
        throw new Error("A schema could not be compiled.");
    }
  }

  #outcome(schemaText: string, accountId: string): Promise<Outcome> {
    const key = hash("sha256", `${accountId}\n${schemaText}`, "base64");
    const kept = this.#kept.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const shared = this.#inFlight.get(key);
    if (shared !== undefined) return shared.outcome;
    const inFlight: InFlight = { accountId, outcome: this.#compile(schemaText, accountId) };
    this.#inFlight.set(key, inFlight);
    return this.#keepOutcome(key, inFlight);
  }

  async #keepOutcome(key: string, inFlight: InFlight): Promise<Outcome> {
    const isWanted = () => this.#inFlight.get(key) === inFlight;
    try {
      const outcome = await inFlight.outcome;
      // A busy machine may have been the reason for one that took too long.
      const isCertain = outcome.type === "grammar" || outcome.type === "refused";
      if (isCertain && isWanted()) {
        const text = outcome.type === "grammar" ? outcome.gbnf : outcome.reason;
        this.#kept.set(key, inFlight.accountId, outcome, text.length + charsAround);
      }
      return outcome;
    } finally {
      if (isWanted()) this.#inFlight.delete(key);
    }
  }

  async #compile(schemaText: string, accountId: string): Promise<Outcome> {
    const before = this.#ofAccount.get(accountId) ?? 0;
    if (before >= maxOfAccount) throw tooMany();
    this.#ofAccount.set(accountId, before + 1);
    try {
      const signal = new AbortController().signal;
      const slot = await this.#queue.enter({ accountId, cost: compileMs, places: 1 }, signal);
      const startedMs = this.#clock.monotonicMs();
      try {
        return await this.#thread.run(schemaText);
      } catch (error) {
        if (error instanceof TaskLost) return { type: "exhausted" };
        throw error;
      } finally {
        const usedMs = this.#clock.monotonicMs() - startedMs;
        const leave = () => slot.leave(usedMs);
        // The thread shares its processor with the event loop and the engine: it rests twice as long as it worked.
        const restMs = Math.min(longestRestMs, restShare * usedMs);
        if (restMs < 1) leave();
        else setTimeout(leave, restMs).unref();
      }
    } finally {
      const left = (this.#ofAccount.get(accountId) ?? 1) - 1;
      if (left === 0) this.#ofAccount.delete(accountId);
      else this.#ofAccount.set(accountId, left);
    }
  }
}

const formatSchema = "response_format.json_schema.schema";
const placeOf = (tool: number | undefined): string =>
  tool === undefined ? formatSchema : `tools[${tool}].function.parameters`;

/** The path consists of keywords and positions: nothing that the client wrote is repeated. */
function schemaRefusal(root: string, path: Path, reason: string): ServiceError {
  const steps = path.slice(0, maxSteps).map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  const param = root + steps.join("");
  return new ServiceError("invalid_value", { message: `Invalid schema at '${param}': ${reason}.`, param });
}

const tooLong = "it takes too long to compile";
const maxSteps = 32;

const tooMany = (): ServiceError =>
  new ServiceError("rate_limit_exceeded", {
    message: `Too many schemas of this account are being compiled: at most ${maxOfAccount} at once. Try again in 1 s.`,
    retryAfterSeconds: 1,
  });
