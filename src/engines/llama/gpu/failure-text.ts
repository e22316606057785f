/** The text about a backend that is not used, the same wherever the operator reads it. */
import { basename } from "node:path";
import { backendNames, type Backend } from "../backends.js";
import { adviceFor } from "./failures.js";
import type { BackendFailure } from "./probe-cache.js";

export function failureText({ backend, during, kind, words, subject }: BackendFailure) {
  const name = backendNames[backend];
  const weights = subject === null ? "the weights" : basename(subject.weights);
  const what = {
    probe: `${name} does not work here`,
    load: `${name} could not load ${weights}`,
    run: `${name} failed while it computed ${weights}`,
  }[during];
  if (kind === "not_installed")
    return { reason: `${name} could be used here, but ${words}`, advice: adviceFor(backend, kind) };
  return { reason: `${what}: ${words}`, advice: adviceFor(backend, kind) };
}

/** A sentence for the start-up output. */
export function failureNotice(failure: BackendFailure, next: Backend): string {
  const { reason, advice } = failureText(failure);
  return `${reason}\n  Using ${backendNames[next]} instead. ${advice}\n  To try again: sotto doctor --probe, then restart.`;
}
