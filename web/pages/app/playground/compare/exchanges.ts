/** A conversation split at the user's messages, which align the replies of two models. */
import type { Turn, UserTurn } from "../conversation.ts";

export interface Exchange {
  user: UserTurn;
  /** What followed: a reply, and with calls their results and the next replies. */
  turns: readonly Exclude<Turn, UserTurn>[];
}

export function exchangesOf(turns: readonly Turn[]): Exchange[] {
  const exchanges: { user: UserTurn; turns: Exclude<Turn, UserTurn>[] }[] = [];
  for (const turn of turns) {
    if (turn.role === "user") exchanges.push({ user: turn, turns: [] });
    else exchanges.at(-1)?.turns.push(turn);
  }
  return exchanges;
}

/** Whether both come from one conversation, which the second one continues. */
export function isShared(left: Exchange, right: Exchange): boolean {
  return left.turns.length === right.turns.length && left.turns.every((turn, at) => turn === right.turns[at]);
}
