/**
 * What one step is made of: a token of every reply, and a share of the prompts.
 *
 * Accounts read their prompts in turns (prefill-turns.ts), however many prompts each of them has; those of the next
 * account are read in the same step as far as there is room for them. What prompts may add to a step of replies is
 * shared by account too: many prompts of one slow down another's reply no more than one does.
 */
import type { InStep, PrefillPace } from "./prefill-pace.js";
import type { PrefillTurns } from "./prefill-turns.js";
import type { OccupiedSlot, Sequence } from "./slots.js";

export interface Entry {
  sequenceId: number;
  sequence: Sequence;
  tokens: Uint32Array;
  isPrefill: boolean;
  /** Whether the next token can be sampled after this one: not in the middle of a prompt. */
  samples: boolean;
}

/** How many steps of reading an account may catch up on others. */
const graceSteps = 4;
/**
 * The part of a step that may be the rest of all prompts beside replies, whatever each has left: most of their replies then
 * start and end together, in fewer steps. Without replies it may be all of a step.
 */
const lastStep = 1 / 2;

export function planStep(
  occupied: readonly OccupiedSlot[],
  { pace, turns }: { pace: Pick<PrefillPace, "tokens">; turns: PrefillTurns },
) {
  const accounts = groupByAccount(occupied);
  const inStep = weigh(accounts);
  const budgetTokens = pace.tokens(inStep);
  const besideReplies = inStep.replies > 0;
  const aloneTokens = pace.tokens({ prompts: 1, replies: 0 });
  const graceTokens = graceSteps * aloneTokens;
  const readingAccounts = [...accounts.keys()].filter((id) => readersOf(accounts, id).length > 0);
  const inTurn = turns.inOrder(readingAccounts, graceTokens).map((id) => readersOf(accounts, id));
  const reading = readNow(inTurn, budgetTokens, besideReplies);
  const share = promptShare([...reading].map(left), budgetTokens, besideReplies);
  const rest = [...reading].reduce((sum, one) => sum + left(one), 0);
  const lastTokens = inStep.prompts > inStep.replies ? aloneTokens : budgetTokens;
  const isLast = rest <= (besideReplies ? lastTokens * lastStep : lastTokens);
  const shareOf = (one: Sequence) => (isLast ? left(one) : share);
  for (const one of reading) turns.record(accountOf(one), shareOf(one));
  const entries: Entry[] = [];
  const passedOver: Sequence[] = [];
  for (const [sequenceId, sequence] of occupied) {
    const { target, computed, newest, state } = sequence;
    if (state === "decoding") {
      entries.push({ sequenceId, sequence, tokens: Uint32Array.of(newest), isPrefill: false, samples: true });
    } else if (reading.has(sequence)) {
      const end = computed.length + shareOf(sequence);
      const tokens = target.subarray(computed.length, end);
      entries.push({ sequenceId, sequence, tokens, isPrefill: true, samples: end === target.length });
    } else if (state === "prefilling") {
      passedOver.push(sequence);
    }
  }
  return { entries, passedOver, inStep };
}

interface AccountShare {
  readers: Sequence[];
  replies: number;
}

function groupByAccount(occupied: readonly OccupiedSlot[]): Map<string, AccountShare> {
  const accounts = new Map<string, AccountShare>();
  for (const [, sequence] of occupied) {
    if (sequence.state === "waiting") continue;
    const accountId = accountOf(sequence);
    let own = accounts.get(accountId);
    if (own === undefined) accounts.set(accountId, (own = { readers: [], replies: 0 }));
    if (sequence.state === "prefilling") own.readers.push(sequence);
    else own.replies += 1;
  }
  return accounts;
}

const readersOf = (accounts: ReadonlyMap<string, AccountShare>, accountId: string): Sequence[] =>
  accounts.get(accountId)?.readers ?? [];

/** Every account counts the same, a single one by its numbers. */
function weigh(accounts: ReadonlyMap<string, AccountShare>): InStep {
  const inStep = { prompts: 0, replies: 0 };
  for (const { readers, replies } of accounts.values()) {
    const weight = accounts.size === 1 ? 1 : 1 / (readers.length + replies);
    inStep.prompts += readers.length * weight;
    inStep.replies += replies * weight;
  }
  return inStep;
}

/** The prompts read in this step: all of the first account, and of the others as many as take no time from it. */
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

const accountOf = ({ group }: Sequence): string => group.job.accountId;

/**
 * How many prompt tokens each prompt gets in one step: the same for all.
 *
 * The native code takes as many tokens of every sequence as the shortest has, in one pass through the weights, and
 * the rest in further passes. Replies have one token each, so the first token of every prompt goes with them and
 * costs little; what comes after it is a pass of its own. Its fast kernels take four tokens at a time, and what is
 * left over one by one, each nearly as slow as four.
 *
 * A prompt that ends sooner than its share makes the step shorter for all, and none is blocked: a short question
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
