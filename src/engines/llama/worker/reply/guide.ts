/**
 * The grammar that a reply follows: from its first token, or from the place where the model begins to call a tool.
 *
 * A trigger is text, and it may begin in the middle of a token and end in the middle of another. So when it is
 * complete, the grammar is made for the tokens from the one on in which it begins: first the text of that token before
 * the trigger, then the trigger, which the grammar itself begins with, then the rest. Those tokens are then read by
 * the grammar. If what was written after the trigger is already against it, the reply goes on without a grammar, and
 * its parser makes of it what it can.
 *
 * Tokens are compared by their bytes, one character for each: a token may hold part of a character.
 */
import { literal } from "../../../formats/replies/grammar/gbnf-text.js";
import type { GrammarPlan } from "../../messages.js";
import type { GrammarState, NativeGrammars } from "./grammar.js";

export interface GuideOptions {
  plan: GrammarPlan;
  bytesOf: (token: number) => Uint8Array;
  /** Within thoughts no trigger counts: the model may only be considering it. */
  isThinking: () => boolean;
}

interface Recent {
  token: number;
  bytes: string;
}

export class Guide {
  #state: GrammarState | null = null;
  readonly #triggers: readonly string[];
  readonly #longestTrigger: number;
  /** The last tokens, as many as a trigger may be spread over. */
  #recent: Recent[] = [];
  /** No trigger can come any more. */
  #isOver = false;

  constructor(
    private readonly grammars: NativeGrammars,
    private readonly options: GuideOptions,
  ) {
    const { plan } = options;
    this.#triggers = (plan.triggers ?? []).map((text) => Buffer.from(text).toString("latin1"));
    this.#longestTrigger = Math.max(0, ...this.#triggers.map(({ length }) => length));
    if (plan.triggers === undefined) this.#state = grammars.newState(plan.gbnf);
  }

  /** What holds the next token; null while anything may come. */
  get state(): GrammarState | null {
    return this.#state;
  }

  allows(token: number): boolean {
    return this.#state === null || this.grammars.allows(this.#state, token);
  }

  /** A token has come; `isRead` when the native sampler drew it with the grammar, which has read it then. */
  accept(token: number, isRead: boolean): void {
    if (this.#state === null) this.#watch(token);
    else if (!isRead) this.grammars.accept(this.#state, token);
  }

  #watch(token: number): void {
    if (this.#triggers.length === 0) return;
    if (this.options.isThinking()) {
      this.#recent = [];
      return;
    }
    if (this.#isOver) return;
    this.#recent.push({ token, bytes: Buffer.from(this.options.bytesOf(token)).toString("latin1") });
    const text = this.#recent.map(({ bytes }) => bytes).join("");
    const found = this.#triggers.map((trigger) => text.indexOf(trigger)).filter((at) => at >= 0);
    const { onlyAtStart = false } = this.options.plan;
    if (onlyAtStart && !this.#triggers.some((trigger) => canBegin(text.trimStart(), trigger)))
      this.#isOver = true;
    else if (found.length > 0) this.#begin(Math.min(...found));
    else if (!onlyAtStart) this.#forgetBefore(text.length - this.#longestTrigger);
  }

  /** From here on the grammar holds, with the trigger at this place of what was kept. */
  #begin(place: number): void {
    const before = this.#forgetBefore(place);
    const tokens = this.#recent.map(({ token }) => token);
    this.#recent = [];
    const prefix = Buffer.from(before, "latin1").toString("utf8");
    const state = this.grammars.newState(afterText(this.options.plan.gbnf, prefix));
    for (const token of tokens) {
      if (!this.grammars.allows(state, token)) return;
      this.grammars.accept(state, token);
    }
    this.#state = state;
  }

  /** Drops tokens that end before this place, and returns the text before it that is left. */
  #forgetBefore(place: number): string {
    let left = Math.max(0, place);
    while (left > 0 && left >= (this.#recent[0]?.bytes.length ?? Infinity)) {
      left -= this.#recent.shift()?.bytes.length ?? 0;
    }
    return this.#recent[0]?.bytes.slice(0, left) ?? "";
  }
}

const canBegin = (text: string, trigger: string): boolean =>
  trigger.startsWith(text) || text.startsWith(trigger);

/** The grammar with this text before what it describes. Grammars for triggers name `root` only where it is defined. */
function afterText(gbnf: string, text: string): string {
  if (text === "") return gbnf;
  return `root ::= ${literal(text)} triggered\n${gbnf.replace(/^root ::=/m, "triggered ::=")}`;
}
