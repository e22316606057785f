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
import type { ReplyFormat } from "../../core/chat/request.js";
import { type Clock, systemClock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import { FairQueue } from "../../core/serving/fair-queue.js";
import type { CallsRequest } from "./calls-request.js";
import { GrammarCache } from "./grammar-cache.js";
import { GrammarThread, type ThreadOutcome } from "./grammar-thread.js";
import { objectGrammar } from "./json-schema/compile.js";
import { schemaRefusal } from "./schema-refusal.js";
import { textOfCalls, textOfSchema } from "./schema-text.js";

export interface GrammarsOptions {
  clock?: Clock;
  thread?: Pick<GrammarThread, "compile" | "close">;
  /** Whether outcomes are kept for the next request. */
  keeps?: boolean;
}

const compileMs = 2_000;
const threadStartMs = 20_000;
const mostWaiting = 256;
const longestWaitMs = 10_000;
const restShare = 2;
const longestRestMs = 500;
/** Of one account, waiting or being compiled. */
const mostOfAccount = 32;

interface UnderWay {
  accountId: string;
  outcome: Promise<ThreadOutcome>;
}

export class Grammars {
  readonly #clock: Clock;
  readonly #thread: Pick<GrammarThread, "compile" | "close">;
  readonly #cache: GrammarCache;
  readonly #keeps: boolean;
  readonly #queue: FairQueue;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #ofAccount = new Map<string, number>();
  #object: string | undefined;

  constructor({ clock = systemClock, thread, keeps = true }: GrammarsOptions = {}) {
    this.#clock = clock;
    this.#keeps = keeps;
    this.#thread = thread ?? new GrammarThread({ compileMs, startMs: threadStartMs });
    this.#cache = new GrammarCache(clock);
    this.#queue = new FairQueue({
      capacity: () => 1,
      maxLength: mostWaiting,
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
        return grammarIn(
          await abortable(this.#outcome(textOfSchema(format), accountId), signal),
          formatSchema,
        );
    }
  }

  /** For replies that may call tools. Throws `invalid_value` for a schema that cannot be followed and must be. */
  async ofCalls(request: CallsRequest, accountId: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return grammarIn(await abortable(this.#outcome(textOfCalls(request), accountId), signal), "tools");
  }

  /** Those being compiled are still given to who asked, and not kept. */
  forgetAccount(accountId: string): void {
    this.#cache.forgetAccount(accountId);
    for (const [key, underWay] of this.#underWay) {
      if (underWay.accountId === accountId) this.#underWay.delete(key);
    }
  }

  async close(): Promise<void> {
    this.#cache.clear();
    await this.#thread.close();
  }

  #outcome(schemaText: string, accountId: string): Promise<ThreadOutcome> {
    const key = GrammarCache.keyOf(accountId, schemaText);
    const kept = this.#cache.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return shared.outcome;
    const outcome = this.#compile(schemaText, accountId);
    const underWay: UnderWay = { accountId, outcome };
    this.#underWay.set(key, underWay);
    return this.#keepOutcome(key, underWay);
  }

  async #keepOutcome(key: string, underWay: UnderWay): Promise<ThreadOutcome> {
    const isWanted = () => this.#underWay.get(key) === underWay;
    try {
      const outcome = await underWay.outcome;
      // A busy machine may have been the reason for one that took too long.
      const isCertain = outcome.type === "grammar" || outcome.type === "refused";
      if (isCertain && this.#keeps && isWanted()) this.#cache.set(key, underWay.accountId, outcome);
      return outcome;
    } finally {
      if (isWanted()) this.#underWay.delete(key);
    }
  }

  async #compile(schemaText: string, accountId: string): Promise<ThreadOutcome> {
    const before = this.#ofAccount.get(accountId) ?? 0;
    if (before >= mostOfAccount) throw tooMany();
    this.#ofAccount.set(accountId, before + 1);
    try {
      const signal = new AbortController().signal;
      const slot = await this.#queue.enter({ accountId, cost: compileMs, places: 1 }, signal);
      const startedMs = this.#clock.monotonicMs();
      try {
        return await this.#thread.compile(schemaText);
      } finally {
        const usedMs = this.#clock.monotonicMs() - startedMs;
        const leave = () => {
          slot.leave(usedMs);
        };
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

/** `place`: of all that was compiled, for what took too long together. */
function grammarIn(outcome: ThreadOutcome, place: string): string {
  switch (outcome.type) {
    case "grammar":
      return outcome.gbnf;
    case "refused":
      throw schemaRefusal(placeOf(outcome.tool), outcome.path, outcome.reason);
    case "exhausted":
      throw schemaRefusal(place, [], "it takes too long to compile");
    case "failed":
      throw new Error("A schema could not be compiled.");
  }
}

const formatSchema = "response_format.json_schema.schema";
const placeOf = (tool: number | undefined): string =>
  tool === undefined ? formatSchema : `tools[${tool}].function.parameters`;

const tooMany = (): ServiceError =>
  new ServiceError("rate_limit_exceeded", {
    message: `Too many schemas of this account are being compiled: at most ${mostOfAccount} at once. Try again in 1 s.`,
    retryAfterSeconds: 1,
  });

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error("The request was aborted."));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", onAbort);
    });
  });
}
