/**
 * What one step is made of: a token of every reply, and a share of the prompts.
 *
 * Accounts read their prompts in turns (reading-turns.ts), however many prompts each of them has; those of the next
 * account are read in the same step as far as there is room for them. What prompts may add to a step of replies is
 * shared by account too: many prompts of one slow down another's reply no more than one does.
 */
import type { InStep, PrefillPace } from "./prefill-pace.js";
import type { ReadingTurns } from "./reading-turns.js";
import type { Seated, Sequence } from "./seats.js";

export interface Entry {
  sequenceId: number;
  sequence: Sequence;
  tokens: Uint32Array;
  /** Whether these are tokens of the prompt. */
  reads: boolean;
  /** Whether the next token can be drawn after this one: not in the middle of a prompt. */
  draws: boolean;
}

export interface StepPlan {
  entries: Entry[];
  /** Those whose turn to read does not come in this step. */
  passedOver: Sequence[];
  inStep: InStep;
}

/** How many steps of reading an account may catch up on others. */
const graceSteps = 4;

export interface Sharing {
  pace: Pick<PrefillPace, "tokens">;
  turns: ReadingTurns;
}

export function planStep(seated: readonly Seated[], { pace, turns }: Sharing): StepPlan {
  const sequences = seated.map(([, sequence]) => sequence);
  const readers = sequences.filter(({ state }) => state === "reads");
  const replying = sequences.filter(({ state }) => state === "replies");
  const inStep = weigh(readers, replying);
  const budgetTokens = pace.tokens(inStep);
  const besideReplies = replying.length > 0;
  const byAccount = groupByAccount(readers);
  const graceTokens = graceSteps * pace.tokens({ prompts: 1, replies: 0 });
  const inTurn = turns.inOrder(byAccount.keys(), graceTokens).map((id) => byAccount.get(id) ?? []);
  const reading = readNow(inTurn, budgetTokens, besideReplies);
  const share = promptShare([...reading].map(left), budgetTokens, besideReplies);
  for (const one of reading) turns.reads(accountOf(one), share);
  const entries = seated.flatMap(([sequenceId, sequence]): Entry[] => {
    const { target, computed, newest, state } = sequence;
    if (state === "replies") {
      return [{ sequenceId, sequence, tokens: Uint32Array.of(newest), reads: false, draws: true }];
    }
    if (!reading.has(sequence)) return [];
    const end = computed.length + share;
    const tokens = target.subarray(computed.length, end);
    return [{ sequenceId, sequence, tokens, reads: true, draws: end === target.length }];
  });
  const passedOver = readers.filter((one) => !reading.has(one));
  return { entries, passedOver, inStep };
}

/** Those whose prompts are read in this step: all of the first account, and of the others as many as take no time from it. */
function readNow(
  [first = [], ...others]: readonly Sequence[][],
  budgetTokens: number,
  besideReplies: boolean,
): Set<Sequence> {
  const share = promptShare(first.map(left), budgetTokens, besideReplies);
  const ownPass = Math.max(1, besideReplies ? share - 1 : share);
  const room = Math.max(0, Math.floor(budgetTokens / ownPass) - first.length);
  const next = others.flatMap((own) => own.toSorted((a, b) => a.group.job.id - b.group.job.id));
  return new Set([...first, ...next.slice(0, room)]);
}

const left = ({ target, computed }: Sequence): number => target.length - computed.length;

function groupByAccount(sequences: readonly Sequence[]): Map<string, Sequence[]> {
  const groups = new Map<string, Sequence[]>();
  for (const one of sequences) groups.set(accountOf(one), [...(groups.get(accountOf(one)) ?? []), one]);
  return groups;
}

/** Every account counts the same, one alone by its numbers. */
function weigh(reading: readonly Sequence[], replying: readonly Sequence[]): InStep {
  const groups = groupByAccount([...reading, ...replying]);
  if (groups.size <= 1) return { prompts: reading.length, replies: replying.length };
  const weightOf = (some: readonly Sequence[]) =>
    some.reduce((sum, one) => sum + 1 / (groups.get(accountOf(one))?.length ?? 1), 0);
  return { prompts: weightOf(reading), replies: weightOf(replying) };
}

const accountOf = ({ group }: Sequence): string => group.job.accountId;

/**
 * How many prompt tokens each prompt gets in one step: the same for all.
 *
 * The native code takes as many tokens of every sequence as the shortest has, in one pass through the weights, and
 * the rest in further passes. Replies have one token each, so the first token of every prompt goes with them and
 * costs little; what comes after it is a pass of its own. Its fast kernels take four tokens at a time, and what is
 * left over one by one, each nearly as slow as four.
 *
 * A prompt that ends sooner than its share makes the step shorter for all, and none stands still: a short question
 * is read in its first steps even while a long document is being read beside it.
 */
export function promptShare(
  remaining: readonly number[],
  budgetTokens: number,
  besideReplies: boolean,
): number {
  const most = Math.max(1, Math.floor(budgetTokens / remaining.length));
  const ownPass = inFours(most, remaining.length);
  return Math.min(...remaining, besideReplies ? ownPass + 1 : ownPass);
}

/** The largest share that makes whole fours of so many prompts, if there is one. */
function inFours(most: number, prompts: number): number {
  for (let share = most; share > most - 4 && share > 0; share--) {
    if ((share * prompts) % 4 === 0) return share;
  }
  return most;
}
