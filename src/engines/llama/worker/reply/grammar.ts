/** The state of a grammar in one reply: what may come next. Opaque; made by the native code and passed back to it. */
export interface GrammarState {
  readonly grammarState?: never;
}
