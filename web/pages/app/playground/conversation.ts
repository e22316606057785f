/** The turns of a conversation. They exist in the page's memory only: no storage, no address, no history. */
import type { FinishReason } from "../../../../src/protocol/chat.js";
import type { ModelId } from "../../../../src/protocol/models.js";

export interface UserTurn {
  id: number;
  role: "user";
  text: string;
}

export interface ReplyTurn {
  id: number;
  role: "assistant";
  text: string;
  model: ModelId;
  state: "waiting" | "writing" | "done" | "stopped" | "failed";
  /** Set when it failed. */
  failure: string | null;
  /** Why the model ended; null until then. */
  reason: FinishReason | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  tokens: { prompt: number; completion: number } | null;
}

export type Turn = UserTurn | ReplyTurn;

export function isRunning(turn: Turn | undefined): boolean {
  return turn?.role === "assistant" && (turn.state === "waiting" || turn.state === "writing");
}

export function emptyReply(id: number, model: ModelId): ReplyTurn {
  return {
    id,
    role: "assistant",
    text: "",
    model,
    state: "waiting",
    failure: null,
    reason: null,
    firstTokenMs: null,
    totalMs: null,
    tokens: null,
  };
}

export function changeReply(turns: readonly Turn[], id: number, change: Partial<ReplyTurn>): Turn[] {
  return turns.map((turn) => (turn.id === id && turn.role === "assistant" ? { ...turn, ...change } : turn));
}

/** The turns before the one with this id. */
export function turnsBefore(turns: readonly Turn[], id: number): Turn[] {
  const place = turns.findIndex((turn) => turn.id === id);
  return place === -1 ? [...turns] : turns.slice(0, place);
}
