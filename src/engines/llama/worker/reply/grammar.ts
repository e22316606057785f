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
