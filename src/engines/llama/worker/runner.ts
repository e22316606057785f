/** A loaded model that reads conversations and generates replies: assembles the parts of the child process. */
import { programFile } from "../../../adapters/program-files.js";
import { WorkerThread } from "../../../adapters/worker-thread.js";
import { replyParser } from "../../chat-format/parser-of.js";
import type {
  GenerateRequest,
  LoadedFacts,
  LoadRequest,
  PrepareResult,
  PromptInput,
  StepReport,
} from "../messages.js";
import { availableMemory } from "../cgroup.js";
import { type LoadedModel, loadModel } from "./addon.js";
import { type BatchContext, computeAlone } from "./batch-context.js";
import type { PromptFacts, PromptSetup } from "./prompt/prompt-worker.js";
import { PieceTokenizer } from "./prompt/piece-tokenizer.js";
import { DirectSampler, isDirect } from "./reply/direct-sampler.js";
import { characterTokens, ForcedText } from "./reply/forced-text.js";
import { LazyGrammar } from "./reply/lazy-grammar.js";
import { Reply } from "./reply/reply.js";
import { SamplerPool } from "./reply/sampler-pool.js";
import { rawConfig, samplingPlan } from "./reply/sampling-plan.js";
import { TokenSampler } from "./reply/token-sampler.js";
import { Utf8Guard } from "./reply/utf8-guard.js";
import { Arrivals } from "./schedule/arrivals.js";
import { Batcher, type Speculation } from "./schedule/batcher.js";
import { DraftModel } from "./schedule/draft-model.js";
import { GrammarBudget } from "./schedule/grammar-budget.js";
import type { Choice } from "./schedule/job.js";
import { PrefillPace } from "./schedule/prefill-pace.js";
import { PrefixCache } from "./schedule/prefix-cache.js";
import { DraftPace, type Guess } from "./schedule/speculation.js";
import { SavedPrefixes } from "./schedule/saved-prefixes.js";
import { machineIdleMs, ownsMachine, ThreadPace } from "./schedule/thread-pace.js";
import { savesAll } from "./sequence-states.js";

export interface RunnerOptions {
  onStep: (report: StepReport) => void;
  /** The native part is beyond repair; nothing more will be reported. */
  onBroken: () => void;
}

/** For one conversation. The longest take a second. */
const longestPromptMs = 60_000;
/** The host's own limit on loading is shorter. */
const longestStartMs = 60 * 60_000;

/** A thread of this process that reads prompts or inputs; `program` is below this folder. */
export const readingThread = <Task, Facts = undefined>(program: string, workerData: object) =>
  new WorkerThread<Task, PrepareResult, Facts>({
    file: programFile(`engines/llama/worker/${program}`),
    workerData,
    startMs: longestStartMs,
    taskMs: longestPromptMs,
    runsNativeCode: true,
  });

export class Runner {
  readonly #pieces: PieceTokenizer;
  /** Found when a grammar first needs them: the whole vocabulary is searched. */
  #characters: ReadonlyMap<string, number> | undefined;

  private constructor(
    readonly facts: LoadedFacts,
    private readonly model: LoadedModel,
    readonly thread: WorkerThread<PromptInput, PrepareResult, PromptFacts>,
    readonly work: Batcher,
    private readonly arrivals: Arrivals,
  ) {
    this.#pieces = new PieceTokenizer(model.vocabulary, facts.contextTokens);
  }

  static async load(request: LoadRequest, events: RunnerOptions): Promise<Runner> {
    const startedMs = performance.now();
    const model = await loadModel(request);
    const { context, vocabulary, sizing } = model;
    const { contextTokens } = sizing;
    const setup: PromptSetup = { source: model.vocabularySource, contextTokens };
    const thread = readingThread<PromptInput, PromptFacts>("prompt/prompt-worker", setup);
    const promptFacts = await thread.start();
    const { msPerToken, passMs } = await warmUp(context);
    const copyMs = model.movesSequences ? await measureCopy(model) : 0;
    const tokenMs = request.measures === true ? await measureToken(model) : undefined;
    const mostTokens = model.batchTokens - sizing.sequences;
    const samplers = new SamplerPool(model.newSampler);
    const { vocabularySize } = model.facts;
    const samplerFacts = { vocabularySize, utf8Guard: new Utf8Guard(vocabulary, vocabularySize) };
    const mostBeside = Math.min(besideReplies(request, model), mostTokens);
    const pace = new PrefillPace(mostTokens, mostBeside, msPerToken, passMs);
    const { states, tokenBytes } = model;
    const isWhole = await savesAll(context, states, tokenBytes);
    const mostBytes = (savedBytes: number) => request.savedStateBytes ?? mostSavedBytes(savedBytes);
    const readingMs = (tokens: number) => pace.predictedMs(tokens);
    const saved =
      isWhole && request.prefixReuse === "on" && request.savedStateBytes !== 0
        ? new SavedPrefixes({ states, tokenBytes, mostBytes, readingMs })
        : undefined;
    const arrivals = new Arrivals();
    const work = new Batcher({
      ...events,
      arrivals,
      context,
      newTokenSampler: (options) =>
        model.sample !== undefined && isDirect(options)
          ? new DirectSampler(model.sample, options)
          : new TokenSampler(context, samplers, samplerFacts, options),
      cache: new PrefixCache(sizing.sequences, request.prefixReuse === "on", undefined, saved),
      pace,
      threads: new ThreadPace({
        most: adaptableThreads(model, request),
        mostForFew: model.cores,
        setThreads: model.setThreads,
        idleMs: ownsMachine() ? machineIdleMs : undefined,
      }),
      grammarBudget: new GrammarBudget(vocabularySize),
      movesSequences: model.movesSequences,
      copyPays: (tokens) => readingMs(tokens) >= copyMs,
      speculation: speculation(request, model, readingMs),
      readsWhileComputing: model.facts.gpu !== "cpu",
      polledSequences: polledSequences(model),
      pads: isWhole ? { batchTokens: model.batchTokens, contextTokens } : undefined,
    });
    const facts: LoadedFacts = {
      ...sizing,
      loadMs: Math.round(performance.now() - startedMs),
      threads: model.threads,
      ...model.facts,
      ...promptFacts,
      memoryBytes: process.memoryUsage.rss(),
      tokenMs,
    };
    return new Runner(facts, model, thread, work, arrivals);
  }

  /** One at a time. Rejects when the thread is lost. */
  prepare(prompt: PromptInput): Promise<PrepareResult> {
    return this.arrivals.prepare(() => this.thread.run(prompt));
  }

  generate(id: number, request: GenerateRequest): void {
    const { accountId, prompt } = request;
    this.arrivals.started();
    try {
      const choices = Array.from({ length: request.choices }, (_, index) => this.#choice(request, index));
      this.work.start({ id, accountId, prompt, choices });
    } catch {
      // Only the native grammar parser can throw here, and that must not affect other requests.
      this.work.fail(id);
    }
  }

  #choice(request: GenerateRequest, index: number): Choice {
    const { sampling, defaults, topLogprobs, grammar } = request;
    const plan = samplingPlan(sampling, defaults, this.facts.contextTokens, index);
    const reply = this.#reply(request);
    const { vocabulary, grammars } = this.model;
    const followed = grammar && new LazyGrammar(grammars, { ...vocabulary, plan: grammar, reply });
    const forced = grammar && followed && this.#forced(grammar.gbnf, followed);
    return { sampling: { ...plan, topLogprobs, grammar: followed }, reply, forced };
  }

  #forced(gbnf: string, followed: LazyGrammar): Guess {
    const { vocabulary, grammars } = this.model;
    let forced: ForcedText | undefined;
    return (computed, newest) => {
      if (followed.state === null) return [];
      this.#characters ??= characterTokens(vocabulary, this.facts.vocabularySize);
      forced ??= new ForcedText(grammars, gbnf, this.#characters);
      const written = [...computed.slice(-recentTokens), newest].map((token) => vocabulary.bytesOf(token));
      const text = forced.after(followed.state, Buffer.concat(written).toString("latin1"));
      // After a token, so that it is no first word.
      return this.#pieces.tokenize([vocabulary.firstToken ?? newest, { text, special: false }]).subarray(1);
    };
  }

  #reply({ stop, maxTokens, parsing }: GenerateRequest): Reply {
    const { vocabulary } = this.model;
    if (parsing === undefined) return new Reply({ ...vocabulary, stop, maxTokens });
    const { syntax, tools, reasoningOpen } = parsing;
    const parser = replyParser(syntax, { tools, callsExpected: tools.length > 0, reasoningOpen });
    const detokenize = (tokens: Uint32Array) => vocabulary.detokenizeAll(tokens);
    return new Reply({ ...vocabulary, detokenize, stop, maxTokens, parser });
  }

  async close(): Promise<void> {
    await this.thread.close();
    await this.work.close();
    await this.model.dispose();
  }
}

function speculation(
  { speculation: choice }: LoadRequest,
  model: LoadedModel,
  readingMs: (tokens: number) => number,
): Speculation | undefined {
  if (choice === "off") return undefined;
  const { sizing, draft, facts } = model;
  return {
    pace: new DraftPace(readingMs),
    contextTokens: sizing.contextTokens,
    model: draft && new DraftModel({ ...draft, vocabularySize: facts.vocabularySize }),
  };
}

/** Enough to see how the last member of an object was written. */
const recentTokens = 48;

/** How many tokens of prompts a step of replies may have: on a GPU as many as fit, since they cost it little. */
const besideReplies = ({ prefillChunkTokens }: LoadRequest, { facts, batchTokens }: LoadedModel): number =>
  prefillChunkTokens ?? (facts.gpu === "cpu" ? cpuPromptTokens : batchTokens);
const cpuPromptTokens = 128;

/** With more of them a step is so long that waking up does not show. */
const mostPolled = 4;
/** One computes, one polls, and the API has one. */
const coresForPolling = 4;

const polledSequences = ({ facts: { gpu, gpuLayers, layers }, cores }: LoadedModel): number =>
  gpu !== "cpu" && gpuLayers >= layers && cores >= coresForPolling ? mostPolled : 0;

/** What the operator chose is kept, and with a GPU the CPU's time says nothing. */
const adaptableThreads = ({ threads, facts }: LoadedModel, request: LoadRequest): number =>
  request.threads === undefined && facts.gpu === "cpu" ? threads : 1;

/** Of the memory that would be free without them. Engines that run side by side leave each other their parts. */
const shareForSaved = 1 / 4;

const mostSavedBytes = (savedBytes: number): number => (savedBytes + availableMemory()) * shareForSaved;

const triedTokens = 8;

/**
 * Proves that the model computes, and brings its weights into memory before the first request has to. Returns how
 * long a token of a prompt takes then, and a step of a single one.
 */
async function warmUp(context: BatchContext): Promise<{ msPerToken: number; passMs: number }> {
  await measureStep(context, triedTokens);
  const msPerToken = (await measureStep(context, triedTokens)) / triedTokens;
  return { msPerToken, passMs: await measureStep(context, 1) };
}

/**
 * How long a sequence takes to copy: all that is reserved for it, however little it holds, when the next step begins. On a
 * GPU that is next to nothing.
 */
async function measureCopy({ context, facts, sizing }: LoadedModel): Promise<number> {
  if (facts.gpu !== "cpu" || sizing.sequences < 2) return 0;
  const took = { with: Infinity, without: Infinity };
  const endsMs = performance.now() + longestMeasuringMs / 4;
  do {
    await context.copySequenceStateFromOtherSequence(1, 0);
    took.with = Math.min(took.with, await measureStep(context, 1));
    took.without = Math.min(took.without, await measureStep(context, 1));
  } while (performance.now() < endsMs);
  context.disposeSequence(1);
  return Math.max(0, took.with - took.without);
}

async function measureStep(context: BatchContext, tokens: number): Promise<number> {
  const startedMs = performance.now();
  await computeAlone(context, 0, new Uint32Array(tokens));
  context.disposeSequence(0);
  return performance.now() - startedMs;
}

const mostSteps = 32;
const fewestSteps = 3;
const longestMeasuringMs = 1000;

/**
 * How long a token of a reply that runs alone takes: the fastest of a few single steps. The others were slowed down by
 * whatever else runs; where that is much, threads wait for one another, and a single one is faster than all of them.
 */
async function measureToken(model: LoadedModel): Promise<number> {
  const { threads, facts, setThreads } = model;
  const all = await fastestStep(model);
  if (facts.gpu !== "cpu" || threads === 1) return all;
  setThreads(1);
  const single = await fastestStep(model);
  setThreads(threads);
  return Math.min(all, single);
}

async function fastestStep({ context, newSampler, sizing }: LoadedModel): Promise<number> {
  const sampler = newSampler();
  sampler.applyConfig(rawConfig);
  const endsMs = performance.now() + longestMeasuringMs;
  let fastestMs = Infinity;
  for (let at = 0; at < Math.min(mostSteps, sizing.contextTokens); at++) {
    const startedMs = performance.now();
    if (startedMs > endsMs && at >= fewestSteps) break;
    const logits = await computeAlone(context, at, new Uint32Array(1));
    // Waits for a GPU, too.
    await context.sampleToken(logits, sampler);
    fastestMs = Math.min(fastestMs, performance.now() - startedMs);
  }
  context.disposeSequence(0);
  return fastestMs;
}
