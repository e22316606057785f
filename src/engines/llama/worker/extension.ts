/**
 * The typed boundary to the engine's extension (native/engine-extension.c): what the binding does not offer for its own
 * contexts. Without it, or where it does not load, the binding alone computes the same, slower.
 */
import { constants } from "node:os";
import { requireMethods } from "./native-vocabulary.js";

/** The calls of its native code. Contexts are numbers. */
export interface Extension {
  /** The path of the binding, which is loaded by then. */
  open(binding: string): void;
  /** The context whose handle was last asked for its threads. */
  adopt(): number;
  setThreads(context: number, threads: number): void;
  /** Of the last batch: of each sequence in it, from 0 on, by the place of its last token. One after the other. */
  vectors(context: number, lastTokens: Int32Array): Float32Array;
}

/** What it needs of the binding's handle of a context. */
export interface ThreadedContext {
  getThreads(): number;
  setThreads(threads: number): void;
}

export interface ExtendedContext {
  /** Four or more stay until the context is freed. Not while it computes. */
  setThreads: (threads: number) => void;
  vectors: (lastTokens: Int32Array) => Float32Array;
}

/** Has to come before the binding is loaded: its calls are bound then. Undefined where it cannot be used. */
export function loadExtension(file: string | undefined): Extension | undefined {
  if (file === undefined) return undefined;
  const module = { exports: {} as Extension };
  try {
    process.dlopen(module, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
    requireMethods(module.exports, ["open", "adopt", "setThreads", "vectors"]);
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

export function extendContext(handle: ThreadedContext, extension: Extension): ExtendedContext {
  requireMethods(handle, ["getThreads", "setThreads"]);
  handle.getThreads();
  const context = extension.adopt();
  return {
    setThreads: (threads) => extension.setThreads(context, threads),
    vectors: (lastTokens) => extension.vectors(context, lastTokens),
  };
}
