/**
 * What one step is made of: a token of every reply, and a share of the prompts.
 *
 * Accounts that read prompts get the same number of tokens in every step, however many prompts each of them has. So of
 * every account as many prompts are read as the one with the fewest has, those that came first; the others wait. What
 * prompts may add to a step of replies is shared by account too: many prompts of one slow down another's reply no more
 * than one does.
 */
import type { InStep } from "./prefill-pace.js";
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

/** `budget`: the most prompt tokens for such a step. */
export function planStep(seated: readonly Seated[], budget: (inStep: InStep) => number): StepPlan {
  const sequences = seated.map(([, sequence]) => sequence);
  const reading = readNow(sequences.filter(({ state }) => state === "reads"));
  const replying = sequences.filter(({ state }) => state === "replies");
  const inStep = weigh([...reading], replying);
  const remaining = [...reading].map(({ target, computed }) => target.length - computed.length);
  const share = promptShare(remaining, budget(inStep), replying.length > 0);
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
  const passedOver = sequences.filter((one) => one.state === "reads" && !reading.has(one));
  return { entries, passedOver, inStep };
}

/** Those whose prompts are read in this step. */
function readNow(readers: readonly Sequence[]): Set<Sequence> {
  const byAccount = new Map<string, Sequence[]>();
  for (const reader of readers) {
    const own = byAccount.get(accountOf(reader)) ?? [];
    own.push(reader);
    byAccount.set(accountOf(reader), own);
  }
  const accounts = [...byAccount.values()];
  const each = Math.min(...accounts.map(({ length }) => length));
  const inOrder = (own: Sequence[]) => own.sort((a, b) => a.group.job.id - b.group.job.id);
  return new Set(accounts.flatMap((own) => inOrder(own).slice(0, each)));
}

/** Every account counts the same, one alone by its numbers. */
function weigh(reading: readonly Sequence[], replying: readonly Sequence[]): InStep {
  const numbers = new Map<string, number>();
  for (const one of [...reading, ...replying]) {
    numbers.set(accountOf(one), (numbers.get(accountOf(one)) ?? 0) + 1);
  }
  if (numbers.size <= 1) return { prompts: reading.length, replies: replying.length };
  const weightOf = (some: readonly Sequence[]) =>
    some.reduce((sum, one) => sum + 1 / (numbers.get(accountOf(one)) ?? 1), 0);
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
