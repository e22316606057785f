/**
 * Asks who someone is again, before something that a stolen session must not do. The service refuses it first; a dialog
 * asks, and what was refused is sent again. Of several at the same time, all wait for the one dialog.
 */
import { useSyncExternalStore } from "react";
import { ApiError } from "./request.ts";

interface Question {
  answer: Promise<boolean>;
  settle: (isConfirmed: boolean) => void;
}

let question: Question | null = null;
const listeners = new Set<() => void>();

export async function confirmingIdentity<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "confirmation_required") throw error;
    if (!(await ask())) throw error;
    return send();
  }
}

/** For the dialog: what to call with the answer; null while nothing is asked. */
export const useQuestion = (): Question["settle"] | null =>
  useSyncExternalStore(subscribe, () => question?.settle ?? null);

function ask(): Promise<boolean> {
  if (question !== null) return question.answer;
  let settle: Question["settle"] = () => undefined;
  const answer = new Promise<boolean>((resolve) => {
    const onBack = () => settle(false);
    settle = (isConfirmed) => {
      removeEventListener("popstate", onBack);
      change(null);
      resolve(isConfirmed);
    };
    // The page that asked is left.
    addEventListener("popstate", onBack);
  });
  change({ answer, settle });
  return answer;
}

function change(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
