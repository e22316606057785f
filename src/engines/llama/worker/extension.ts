/**
 * The typed boundary to the engine's extension (native/engine-extension.c): what the binding does not offer for its own
 * contexts. Without it, or where it does not load, the binding alone computes nearly the same, slower.
 */
import { constants } from "node:os";
import { requireMethods } from "./vocabulary.js";

/** The calls of its native code. Contexts are numbers. */
export interface Extension {
  /** The path of the binding, which is loaded by then. */
  open(binding: string): void;
  /** The context whose handle was last asked for its threads. It shares those of another one, unless that is 0. */
  adopt(other: number): number;
  setThreads(context: number, threads: number): void;
  /** Of the last batch: of each sequence in it, from 0 on, by the place of its last token. One after the other. */
  vectors(context: number, lastTokens: Int32Array): Float32Array;
  sample(context: number, ...given: Parameters<SampleDirectly>): number;
}

/** What it needs of the binding's handle of a context. */
export interface ThreadedContext {
  getThreads(): number;
  setThreads(threads: number): void;
}

export type ExtendedContext = ReturnType<typeof extendContext>;

/**
 * Samples a token from the logits where they are, at once; -1 when there is nothing to choose from. Not while it computes.
 * `how` are the fields of `struct sampling`; `seen` are the tokens to penalise and how often each was sampled, in turn;
 * `biases` are tokens and what is added to their logits, in turn.
 */
export type SampleDirectly = (
  batchLogitIndex: number,
  how: Float64Array,
  seen: Int32Array,
  biases: Float64Array,
) => number;

/** Has to come before the binding is loaded: its calls are bound then. Undefined where it cannot be used. */
export function loadExtension(file: string | undefined): Extension | undefined {
  if (file === undefined) return undefined;
  const module = { exports: {} as Extension };
  try {
    process.dlopen(module, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
    requireMethods(module.exports, ["open", "adopt", "setThreads", "vectors", "sample"]);
    return module.exports;
  } catch {
    // Of another machine, for instance.
    return undefined;
  }
}

export function connectExtension(extension: Extension | undefined, binding: string): Extension | undefined {
  try {
    extension?.open(binding);
    return extension;
  } catch {
    // Not the native code that it was written for.
    return undefined;
  }
}

/** It may share its threads with `other`, the id of a context that never computes at the same time. */
export function extendContext(handle: ThreadedContext, extension: Extension, other = 0) {
  requireMethods(handle, ["getThreads", "setThreads"]);
  handle.getThreads();
  const id = extension.adopt(other);
  const sample: SampleDirectly = (...given) => extension.sample(id, ...given);
  return {
    id,
    /** Two or more stay until the context is freed. Not while it computes. */
    setThreads: (threads: number) => extension.setThreads(id, threads),
    vectors: (lastTokens: Int32Array) => extension.vectors(id, lastTokens),
    sample,
  };
}
