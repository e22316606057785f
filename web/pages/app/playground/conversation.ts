/** The turns of a conversation. They exist in the page's memory only: no storage, no address, no history. */
import type { FinishReason } from "../../../../src/core/chat/reply.js";
import type { ChatModelId } from "../../../../src/core/models.js";
import { noContent, type ReplyContent } from "./reply-content.ts";

export interface UserTurn {
  id: number;
  role: "user";
  text: string;
}

/** Results of the previous reply's calls, entered by hand. */
interface ResultsTurn {
  id: number;
  role: "tool";
  results: readonly CallResult[];
}

export interface CallResult {
  callId: string;
  /** Of the function. */
  name: string;
  text: string;
}

export interface ReplyTurn extends ReplyContent {
  id: number;
  role: "assistant";
  model: ChatModelId;
  state: "waiting" | "writing" | "done" | "stopped" | "failed";
  /** Set when it failed. */
  failure: string | null;
  /** Set if it was temporarily refused: how long to wait from then. */
  retry: { seconds: number; since: number } | null;
  /** Why the reply ended; null until then. */
  reason: FinishReason | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  tokens: { prompt: number; completion: number } | null;
}

export type Turn = UserTurn | ReplyTurn | ResultsTurn;

export function isRunning(turn: Turn | undefined): boolean {
  return turn?.role === "assistant" && (turn.state === "waiting" || turn.state === "writing");
}

/** Whether a reply ended with calls whose results are still missing. */
export function awaitsResults({ state, reason, calls }: ReplyTurn): boolean {
  return state === "done" && reason === "tool_calls" && calls.length > 0;
}

export function emptyReply(id: number, model: ChatModelId): ReplyTurn {
  return {
    id,
    role: "assistant",
    ...noContent,
    model,
    state: "waiting",
    failure: null,
    retry: null,
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
