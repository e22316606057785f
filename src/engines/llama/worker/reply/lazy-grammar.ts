/**
 * The grammar that a reply follows: from its first token, or, lazily, from the place where the model begins to call a
 * tool.
 *
 * A trigger is text, and it may begin in the middle of a token and end in the middle of another. So when it is
 * complete, the grammar is made for the tokens from the one on in which it begins: first the text of that token
 * before the trigger, then the trigger, which the grammar itself begins with, then the rest. Those tokens are then
 * read by the grammar. If what was written after the trigger is already against it, the reply goes on without a
 * grammar, and its parser makes of it what it can.
 *
 * Within reasoning no trigger counts: the model may only be considering it. Where reasoning ends the reply's parser
 * knows, one token late: a token is sampled, comes here, and is read after that. So the last token of reasoning is
 * kept, and what it wrote after the end is looked at with the next.
 *
 * Tokens are compared by their bytes, one character for each: a token may hold part of a character.
 */
import { literal } from "../../../structured-output/gbnf.js";
import type { GrammarPlan } from "../../messages.js";

/** The state of a grammar in one reply: what may come next. Opaque; made by the native code and passed back to it. */
export interface GrammarState {
  readonly grammarState?: never;
}

export interface NativeGrammars {
  /** Throws when the text is no grammar. */
  newState(gbnf: string): GrammarState;
  /** One that goes on by itself. Takes long for a long grammar. */
  copy(state: GrammarState): GrammarState;
  allows(state: GrammarState, token: number): boolean;
  /** The token has come. Only for one that is allowed. */
  accept(state: GrammarState, token: number): void;
}

/** Of a reply that has read all tokens before the one that comes. */
interface ReasoningProgress {
  readonly isReasoning: boolean;
  /** What the last of these tokens wrote after the end of reasoning. */
  readonly textAfterReasoning: string;
}

interface Recent {
  token: number;
  bytes: string;
}

export class LazyGrammar {
  /** What constrains the next token; null while anything may come. */
  state: GrammarState | null = null;
  readonly #triggers: readonly string[];
  readonly #longestTrigger: number;
  /** The last tokens, as many as a trigger may be spread over. */
  #recent: Recent[] = [];
  /** How many bytes at their beginning belong to reasoning; undefined while it is not known where it ends. */
  #reasoningBytes: number | undefined = 0;
  /** No trigger can come any more, unless there is more reasoning before it. */
  #isOver = false;

  constructor(
    private readonly grammars: Pick<NativeGrammars, "newState" | "allows" | "accept">,
    private readonly options: {
      plan: GrammarPlan;
      bytesOf: (token: number) => Uint8Array;
      reply: ReasoningProgress;
    },
  ) {
    const { plan } = options;
    this.#triggers = (plan.triggers ?? []).map((text) => Buffer.from(text).toString("latin1"));
    this.#longestTrigger = Math.max(0, ...this.#triggers.map(({ length }) => length));
    if (plan.triggers === undefined) this.state = grammars.newState(plan.gbnf);
  }

  allows(token: number): boolean {
    return this.state === null || this.grammars.allows(this.state, token);
  }

  /** `isRead`: the native sampler applied the grammar and has already advanced it. */
  accept(token: number, isRead: boolean): void {
    if (this.state === null) this.#watch(token);
    else if (!isRead) this.grammars.accept(this.state, token);
  }

  #watch(token: number): void {
    if (this.#triggers.length === 0) return;
    const newest = { token, bytes: Buffer.from(this.options.bytesOf(token)).toString("latin1") };
    const { reply } = this.options;
    if (reply.isReasoning) {
      this.#recent = [newest];
      this.#reasoningBytes = undefined;
      this.#isOver = false;
      return;
    }
    if (this.#isOver) return;
    this.#reasoningBytes ??= this.#recentText().length - Buffer.byteLength(reply.textAfterReasoning);
    this.#recent.push(newest);
    this.#look(this.#reasoningBytes);
  }

  #look(from: number): void {
    const text = this.#recentText();
    const found = this.#triggers.map((trigger) => text.indexOf(trigger, from)).filter((at) => at >= 0);
    const { onlyAtStart = false } = this.options.plan;
    const start = text.slice(from).trimStart();
    if (onlyAtStart && !this.#triggers.some((trigger) => canBegin(start, trigger))) this.#isOver = true;
    else if (found.length > 0) this.#begin(Math.min(...found));
    else if (!onlyAtStart) this.#forgetBefore(text.length - this.#longestTrigger);
  }

  #recentText(): string {
    return this.#recent.map(({ bytes }) => bytes).join("");
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
    this.state = state;
  }

  /** Drops tokens that end before this place, and returns the text before it that is left. */
  #forgetBefore(place: number): string {
    let left = Math.max(0, place);
    while (left > 0 && left >= (this.#recent[0]?.bytes.length ?? Infinity)) {
      const { length } = this.#recent.shift()?.bytes ?? "";
      left -= length;
      this.#reasoningBytes = Math.max(0, (this.#reasoningBytes ?? 0) - length);
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
