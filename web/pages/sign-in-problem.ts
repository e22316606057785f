import { signInProblems } from "../../src/core/single-sign-on/problems.js";

/** Why a sign-in with a provider failed, by its name in the address; undefined for anything else that is there. */
export function problemText(name: string | null): string | undefined {
  return Object.entries(signInProblems).find(([problem]) => problem === name)?.[1];
}
