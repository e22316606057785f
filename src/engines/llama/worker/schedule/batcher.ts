/**
 * Continuous batching: one loop that computes all running generations together.
 *
 * Each step takes the newest token of every reply under way and a share of the prompts still being read, in ascending
 * order of sequence (the native batch splitter needs that) and, but for choices that wait, of neighbouring ones (it
 * is faster with them); computes them as one batch; then samples the next token of every sequence that is ready.
 * Generations join and leave between steps: who gets a sequence, and who is preempted for another account, is decided
 * in slot-scheduler.ts; an aborted one is dropped, whatever its stage, at the end of the step that is under way. What
 * all of them produced in a step is reported at once.
 *
 * A generation of several choices takes as many sequences at once. One of them reads the prompt; the others get a
 * copy of what it computed, and each goes on with tokens of its own.
 *
 * Sampling from a grammar is slow and blocks decoding for everybody: its time is bounded (grammar-budget.ts). A
 * choice whose turn does not come in a step is put back by one token, and computed again in the next.
 *
 * A reply that runs alone is computed several tokens at a time where they can be guessed (speculation.ts).
 *
 * When a batch fails, each of its sequences is computed again alone, so that only those fail which must. When nothing
 * can be computed twice in a row, the native context counts as lost: `onBroken` is called and the loop ends.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Kept } from "../../../../core/serving/engine-port.js";
import type { Arrivals } from "./arrivals.js";
import type { GrammarBudget } from "./grammar-budget.js";
import type { StepReport } from "../../messages.js";
import type { Job } from "./job.js";
import { paddedTo, padding } from "./padding.js";
import { polled } from "./polling.js";
import type { PrefillPace } from "./prefill-pace.js";
import { PrefillTurns } from "./prefill-turns.js";
import { followsGrammar, Slots, type Group, type SlotsOptions, type Sequence } from "./slots.js";
import { planStep, type Entry } from "./step-plan.js";
import type { ThreadPace } from "./thread-pace.js";
import type { DraftModel } from "./draft-model.js";
import { Draft, type DraftPace, mostDrafted } from "./speculation.js";
import { TokenReader } from "./token-reader.js";
import { SlotScheduler } from "./slot-scheduler.js";

export interface BatcherOptions extends SlotsOptions {
  pace: PrefillPace;
  threads: Pick<ThreadPace, "run">;
  grammarBudget: GrammarBudget;
  /**
   * Turns the tokens of one step into text, and reports it, while the next one is computed. Worth it where a GPU
   * computes, which would wait meanwhile; on the CPU both would want the same cores. A stop sequence is then noticed
   * when one more token is being computed, which nobody sees.
   */
  readsWhileComputing?: boolean;
  /** Steps of at most so many sequences are waited for without sleeping (polling.ts); none by default. */
  polledSequences?: number;
  /** The most tokens of a batch, and of a sequence, where sequences may be padded (padding.ts); never by default. */
  pads?: { batchTokens: number; contextTokens: number } | undefined;
  /** Prompts that will be started in a moment; none by default. */
  arrivals?: Pick<Arrivals, "count">;
  /** Guesses tokens of a reply that runs alone; never by default. */
  speculation?: Speculation | undefined;
  onStep: (report: StepReport) => void;
  onBroken: () => void;
  /** Passed in for tests. */
  pause?: (ms: number) => Promise<unknown>;
}

export interface Speculation {
  pace: Pick<DraftPace, "pays" | "worth" | "record">;
  contextTokens: number;
  /** Guesses where nothing else does. */
  model?: DraftModel | undefined;
}

/** A sequence whose next token can be sampled, and from which logits. */
interface Ready {
  sequenceId: number;
  sequence: Sequence;
  logitIndex: number;
}

const noLogits = new Uint32Array(0);
/** The share of its reading that a prompt may wait for others, and the most. */
const worthWaiting = 1 / 60;
const longestWaitMs = 10;
/** Between two looks at whether what is on its way has come. */
const arrivalMs = 2;

export class Batcher {
  readonly #slots: Slots;
  readonly #scheduler: SlotScheduler;
  readonly #prefillTurns = new PrefillTurns();
  readonly #aborted = new Set<number>();
  /** Accounts to be forgotten before the next step. */
  readonly #forgotten = new Set<string>();
  #closed = false;
  isIdle = false;
  #failedSteps = 0;
  #wake: () => void = () => undefined;
  #report: StepReport = emptyReport();
  readonly #reader: TokenReader;
  /** Computed tokens can be taken back. Not in a recurrent model's state. */
  #canTakeBack = true;
  readonly #loop: Promise<void>;

  constructor(private readonly options: BatcherOptions) {
    this.#slots = new Slots(options);
    this.#reader = new TokenReader(this.#slots, (progress) => this.#report.progress.push(progress));
    this.#scheduler = new SlotScheduler(this.#slots, {
      // What ends with the token sampled last needs no slot any more.
      onPreempting: () => this.#reader.readPostponed(),
      onAssigned: ({ id }) => this.#report.progress.push({ id, choice: 0, text: null }),
    });
    this.#loop = this.#run().catch(() => {
      // Outside of a batch only bookkeeping can throw, and native bookkeeping that fails is not to be trusted.
      options.onBroken();
    });
  }

  start(job: Job): void {
    if (job.choices.length > this.options.cache.sequences) {
      this.fail(job.id);
      return;
    }
    this.#scheduler.waiting.set(job.id, job);
    this.#wake();
  }

  fail(id: number): void {
    this.#report.endings.push({ id, outcome: { type: "failed" } });
    this.#wake();
  }

  /** Reported as an ending, also when the job was still waiting. An id that is not running is ignored. */
  abort(id: number): void {
    this.#aborted.add(id);
    this.#wake();
  }

  /** Nothing that was computed for the account is kept, nor what its jobs under way compute. */
  forgetAccount(accountId: string): void {
    this.#forgotten.add(accountId);
    this.#wake();
  }

  /** What is to be forgotten is counted until it is. */
  keptOf(accountId: string): Kept {
    return this.options.cache.keptOf(accountId);
  }

  /** Drops everything after the step under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#loop;
    this.options.cache.saved?.dropWhere(() => true);
  }

  async #run(): Promise<void> {
    const { grammarBudget, pace } = this.options;
    while (!this.#closed) {
      this.#forgetAccounts();
      this.#dropAborted();
      this.#slots.forgetExpired();
      this.#forgetDraft();
      this.#scheduler.admit();
      if (this.options.readsWhileComputing !== true) this.#sendReport();
      if (this.#slots.hasToRearrange()) {
        this.#reader.readPostponed();
        this.#sendReport();
        await this.#slots.rearrange();
        // Jobs may have arrived or ended meanwhile.
        continue;
      }
      const { entries, passedOver, inStep } = planStep(this.#slots.inUse(), {
        pace,
        turns: this.#prefillTurns,
      });
      // They have to wait, but are not stuck.
      for (const { group, choice } of [...passedOver, ...this.#slots.preempted()]) {
        this.#report.progress.push({ id: group.job.id, choice, text: null });
      }
      if (entries.length === 0) {
        this.#sendReport();
        await this.#idle();
        await this.#gather();
        continue;
      }
      const alone = passedOver.length === 0 ? soleReply(entries) : undefined;
      const startedMs = performance.now();
      const draftModelMs = alone === undefined ? 0 : await this.#addGuess(alone);
      const drafted = alone === undefined ? 0 : alone.tokens.length - 1;
      grammarBudget.beginStep();
      const computing = this.#compute(entries);
      const isPolled = entries.length <= (this.options.polledSequences ?? 0);
      const anyComputed = await (isPolled ? polled(computing) : computing);
      const computedMs = Math.max(0, performance.now() - startedMs - draftModelMs - grammarBudget.spentMs);
      const promptTokens = entries.reduce(
        (sum, { isPrefill, tokens }) => sum + (isPrefill ? tokens.length : 0),
        0,
      );
      if (alone !== undefined) this.options.speculation?.pace.record(drafted, computedMs);
      if (drafted === 0) pace.record(promptTokens, computedMs, inStep);
      this.#failedSteps = anyComputed ? 0 : this.#failedSteps + 1;
      if (this.#failedSteps >= 2) {
        this.#closed = true;
        this.#sendReport();
        this.options.onBroken();
      }
    }
  }

  /** Until there is something to do, or something to forget. */
  async #idle(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    this.isIdle = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const expiryMs = this.options.cache.nextExpiryMs;
      if (expiryMs !== undefined) timer = setTimeout(resolve, expiryMs).unref();
    });
    clearTimeout(timer);
    this.isIdle = false;
  }

  /**
   * Prompts that arrive at the same moment should be read together: one that comes a little later is read slowly,
   * beside the reply of the first. So those that are on their way are waited for, and a long step is worth a short wait,
   * as long as more requests arrive.
   */
  async #gather(): Promise<void> {
    const { cache, pace, arrivals, pause = sleep } = this.options;
    const { waiting } = this.#scheduler;
    for (let size = 0, waitedMs = 0; waiting.size < cache.sequences && !this.#closed;) {
      const areComing = arrivals !== undefined && arrivals.count > 0 && waitedMs < longestWaitMs;
      if (waiting.size === size && !areComing) return;
      size = waiting.size;
      const tokens = [...waiting.values()].reduce((sum, { prompt }) => sum + prompt.length, 0);
      const waitMs = areComing ? arrivalMs : Math.min(longestWaitMs, pace.predictedMs(tokens) * worthWaiting);
      if (waitMs < 1) return;
      await pause(waitMs);
      waitedMs += waitMs;
    }
  }

  #forgetAccounts(): void {
    for (const accountId of this.#forgotten) {
      for (const job of this.#scheduler.waiting.values())
        if (job.accountId === accountId) job.isForgotten = true;
      this.#slots.forgetAccount(accountId);
    }
    this.#forgotten.clear();
  }

  #dropAborted(): void {
    for (const id of this.#aborted) {
      if (this.#scheduler.waiting.delete(id)) this.#report.endings.push({ id, outcome: { type: "aborted" } });
      const group = this.#slots.groupOf(id);
      if (group !== undefined) this.#endGroup(group, "aborted");
    }
    this.#aborted.clear();
  }

  /** Whether anything at all could be computed. */
  async #compute(entries: readonly Entry[]): Promise<boolean> {
    const logitIndexes = await this.#decode(entries);
    const [only, ...others] = entries;
    const isDraft = only !== undefined && soleReply(entries) === only && only.tokens.length > 1;
    if (logitIndexes !== null) {
      if (isDraft) {
        await this.#followGuess(only, logitIndexes[0] ?? noLogits);
        return true;
      }
      const ready = await Promise.all(
        entries.map((entry, index) => this.#advance(entry, logitIndexes[index]?.[0])),
      );
      await this.#sampleAll(ready.flat());
      return true;
    }
    if (isDraft && this.#rewind(only))
      return this.#compute([{ ...only, tokens: only.tokens.subarray(0, 1) }]);
    if (only !== undefined && others.length === 0) {
      this.#endGroup(only.sequence.group, "failed");
      return false;
    }
    // A sibling of one that failed is over too.
    const isOver = ({ sequenceId, sequence }: Entry) => !this.#slots.isAt(sequenceId, sequence);
    for (const entry of entries) {
      if (!isOver(entry) && !this.#rewind(entry)) this.#endGroup(entry.sequence.group, "failed");
    }
    let anyComputed = false;
    for (const entry of entries) {
      if (!isOver(entry)) anyComputed = (await this.#compute([entry])) || anyComputed;
    }
    return anyComputed;
  }

  /** What may follow is computed along, where that pays. Returns how long the draft model took. */
  async #addGuess(entry: Entry): Promise<number> {
    const { context, speculation } = this.options;
    const { sequenceId, sequence } = entry;
    const { computed, newest } = sequence;
    if (speculation === undefined || !this.#canTakeBack || sequence.hasEnded === true) return 0;
    // Attention to a sliding window may have dropped what the next token needs, once others were computed.
    if (context.getSequenceKvCacheMinPosition(sequenceId) !== 0) return 0;
    const { pace, model } = speculation;
    const draft = (sequence.draft ??= new Draft(sequence.group.job.choices[sequence.choice]?.forced));
    const guess = draft.guess(computed, newest, (likelihood) => pace.pays(likelihood));
    const room = speculation.contextTokens - computed.length - 1;
    const worth = Math.min(room, pace.worth(guess.length, draft.likelihood));
    if (worth > 0) entry.tokens = Uint32Array.of(newest, ...guess.slice(0, worth));
    if (worth > 0 || model === undefined) return 0;
    const most = Math.min(room, pace.worth(mostDrafted, model.likelihood, model.msPerToken));
    if (most <= 0) {
      model.leaveAlone();
      return 0;
    }
    const startedMs = performance.now();
    const byModel = await model.guess(sequence, most);
    draft.add(byModel, model);
    entry.tokens = Uint32Array.of(newest, ...byModel);
    return performance.now() - startedMs;
  }

  /** What the draft model has read is kept no longer than the reply. */
  #forgetDraft(): void {
    const model = this.options.speculation?.model;
    if (model?.reply !== undefined && !this.#slots.has(model.reply)) model.forget();
  }

  /** Samples what follows each of the tokens, as long as it is what was guessed, and forgets the rest of them. */
  async #followGuess({ sequenceId, sequence, ...entry }: Entry, logitIndexes: Uint32Array): Promise<void> {
    for (const at of entry.tokens.keys()) {
      const tokens = entry.tokens.subarray(at, at + 1);
      const ready = await this.#advance({ ...entry, sequenceId, sequence, tokens }, logitIndexes[at]);
      const { length } = sequence.computed;
      await this.#sampleAll(ready, true);
      if (!this.#slots.isAt(sequenceId, sequence)) break;
      const isRight =
        ready.length > 0 && sequence.computed.length === length && sequence.newest === entry.tokens[at + 1];
      if (!isRight) break;
    }
    this.#takeBack(sequenceId, sequence);
  }

  /** What was computed after the reply's own tokens. If the context can't remove it, the reply is read again. */
  #takeBack(sequenceId: number, sequence: Sequence): void {
    const { context } = this.options;
    if (context.removeTokenCellsFromSequence(sequenceId, sequence.computed.length, -1)) return;
    this.#canTakeBack = false;
    if (!this.#slots.isAt(sequenceId, sequence)) return;
    context.disposeSequence(sequenceId);
    sequence.target = Uint32Array.from([...sequence.computed, sequence.newest]);
    sequence.computed = [];
    sequence.state = "prefilling";
  }

  /** Takes back what a failed batch may have left of the entry. False when the sequence is not what it was. */
  #rewind({ sequenceId, sequence, tokens }: Entry): boolean {
    const { context } = this.options;
    const { length } = sequence.computed;
    if (!context.removeTokenCellsFromSequence(sequenceId, length, -1)) return false;
    // Several tokens may have pushed out of a sliding window what the first of them needs again.
    return length === 0 || tokens.length === 1 || context.getSequenceKvCacheMinPosition(sequenceId) === 0;
  }

  /** Where each entry's logits are, for those that sample; null when the batch failed. */
  async #decode(entries: readonly Entry[]): Promise<Uint32Array[] | null> {
    const { context } = this.options;
    try {
      const lengths = this.#paddedLengths(entries);
      context.initBatch(lengths.reduce((sum, length) => sum + length, 0));
      const logitIndexes = entries.map(({ sequenceId, sequence, tokens, samples, isPrefill }, index) => {
        // Of a reply, each token is sampled from.
        const first = isPrefill ? tokens.length - 1 : 0;
        const asked = samples ? Uint32Array.from(tokens.keys()).subarray(first) : noLogits;
        const padded = paddedTo(lengths[index] ?? 0, tokens);
        return context.addToBatch(sequenceId, sequence.computed.length, padded, asked);
      });
      const kind = entries.some(({ isPrefill }) => isPrefill) ? "prompts" : "replies";
      const computing = this.options.threads.run(() => context.decodeBatch(), {
        kind,
        sequences: entries.length,
      });
      this.#reader.readPostponed();
      this.#sendReport();
      await computing;
      for (const [index, { sequenceId, sequence, tokens }] of entries.entries()) {
        const end = sequence.computed.length + tokens.length;
        if ((lengths[index] ?? 0) > tokens.length) context.removeTokenCellsFromSequence(sequenceId, end, -1);
      }
      this.#slots.copiesMade();
      return logitIndexes;
    } catch {
      return null;
    }
  }

  #paddedLengths(entries: readonly Entry[]): number[] {
    const { pads, pace } = this.options;
    if (pads === undefined) return entries.map(({ tokens }) => tokens.length);
    const { batchTokens, contextTokens } = pads;
    const padded = entries.map(({ sequenceId, sequence, tokens }) => {
      const most = contextTokens - sequence.computed.length;
      return { sequenceId, tokens: tokens.length, most };
    });
    return padding(padded, pace.passTokens, batchTokens);
  }

  /** Returns what can be sampled now. */
  async #advance(
    { sequenceId, sequence, tokens }: Entry,
    logitIndex: number | undefined,
  ): Promise<readonly Ready[]> {
    for (const token of tokens) sequence.computed.push(token);
    const { group } = sequence;
    if (logitIndex === undefined) {
      this.#report.progress.push({ id: group.job.id, choice: 0, text: null });
      return [];
    }
    // Aborted while the batch was computed: the token is discarded.
    if (this.#aborted.has(group.job.id)) return [];
    if (sequence.hasEnded === true) {
      this.#finish(sequenceId, sequence);
      return [];
    }
    if (sequence.state === "decoding") return [{ sequenceId, sequence, logitIndex }];
    const siblings = await this.#slots.branch(sequenceId, sequence);
    if (siblings !== null) {
      return siblings.map(([id, sibling]) => ({ sequenceId: id, sequence: sibling, logitIndex }));
    }
    this.#endGroup(group, "failed");
    return [];
  }

  async #sampleAll(
    ready: readonly Ready[],
    readsNow = this.options.readsWhileComputing !== true,
  ): Promise<void> {
    const { grammarBudget } = this.options;
    const free = ready.filter(({ sequence }) => !followsGrammar(sequence));
    await Promise.all(free.map((one) => this.#sample(one, readsNow)));
    const held = ready.filter(({ sequence }) => followsGrammar(sequence));
    // One after the other, so that each is known to have taken its own time.
    for (const one of grammarBudget.inTurn(held)) {
      const { sequenceId, sequence } = one;
      if (!this.#slots.isAt(sequenceId, sequence) || this.#aborted.has(sequence.group.job.id)) continue;
      if (grammarBudget.isStepFull && this.#putBack(one)) continue;
      await grammarBudget.measure(sequence, () => this.#sample(one, readsNow));
      const isOver = grammarBudget.isOverdrawn(sequence) && this.#slots.isAt(sequenceId, sequence);
      if (isOver) this.#endGroup(sequence.group, "too_slow");
    }
  }

  /** To be computed again in the next step, for its logits. False when the last token cannot be taken back. */
  #putBack({ sequenceId, sequence }: Ready): boolean {
    const last = sequence.computed.pop();
    if (last === undefined) return false;
    if (!this.options.context.removeTokenCellsFromSequence(sequenceId, sequence.computed.length, -1)) {
      sequence.computed.push(last);
      return false;
    }
    sequence.newest = last;
    this.#report.progress.push({ id: sequence.group.job.id, choice: sequence.choice, text: null });
    return true;
  }

  async #sample({ sequenceId, sequence, logitIndex }: Ready, readsNow: boolean): Promise<void> {
    const { group, choice } = sequence;
    const sampled = await sequence.sampler.next(logitIndex).catch(() => null);
    // A sibling may have failed meanwhile, and this one with it.
    if (!this.#slots.isAt(sequenceId, sequence)) return;
    const reply = group.job.choices[choice]?.reply;
    if (sampled === null || reply === undefined) {
      this.#endGroup(group, "failed");
      return;
    }
    sequence.newest = sampled.token;
    sequence.draft?.check(sampled.token);
    if (!readsNow && !reply.endsWith(sampled.token)) {
      this.#reader.postpone(sequence, sampled);
    } else if (this.#reader.read(sequence, sampled)) {
      this.#finish(sequenceId, sequence);
    }
  }

  #finish(sequenceId: number, { group }: Sequence): void {
    this.#slots.leave(sequenceId, true);
    group.unfinished -= 1;
    if (group.unfinished > 0) return;
    const { id, choices } = group.job;
    const completionTokens = choices.reduce((sum, { reply }) => sum + reply.completionTokens, 0);
    const reasoningTokens = choices.reduce((sum, { reply }) => sum + reply.reasoningTokens, 0);
    const { cachedTokens } = group;
    this.#report.endings.push({
      id,
      outcome: { type: "finished", completionTokens, cachedTokens, reasoningTokens },
    });
  }

  #endGroup(group: Group, type: "aborted" | "failed" | "too_slow"): void {
    this.#slots.leaveAll(group, type !== "failed");
    this.#report.endings.push({ id: group.job.id, outcome: { type } });
  }

  #sendReport(): void {
    const report = this.#report;
    if (report.progress.length === 0 && report.endings.length === 0) return;
    this.#report = emptyReport();
    this.options.onStep({ ...report, active: this.#slots.inUse().length });
  }
}

/** The only entry, when it is the newest token of a reply. */
function soleReply([first, ...others]: readonly Entry[]): Entry | undefined {
  return others.length === 0 && first?.isPrefill === false ? first : undefined;
}

const emptyReport = (): StepReport => ({ active: 0, progress: [], endings: [] });
