/**
 * Holds the conversation and runs one reply at a time. Incoming text is rendered at most once per frame.
 * Stopping, clearing and leaving the page abort the request, which frees the model immediately.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { streamChat } from "../../../service/chat-stream.ts";
import { ApiError } from "../../../service/request.ts";
import { queries } from "../../../service/queries.ts";
import { noticeSignOut } from "../../../service/session.ts";
import {
  changeReply,
  emptyReply,
  isRunning,
  turnsBefore,
  type CallResult,
  type ReplyTurn,
  type Turn,
} from "./conversation.ts";
import { isEmpty, noContent, withPart } from "./reply-content.ts";
import { requestOf, type Settings } from "./settings.ts";

/** `team` is the one that it is for; null for one's own account. */
export function useConversation(settings: Settings, team: string | null) {
  const client = useQueryClient();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | null>(null);
  const lastId = useRef(0);

  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  async function reply(history: readonly Turn[]): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    const turn = emptyReply(++lastId.current, settings.model);
    setTurns([...history, turn]);
    const change = (part: Partial<ReplyTurn>) => setTurns((now) => changeReply(now, turn.id, part));
    const outcome = await runReply(team, settings, history, abort.signal, change);
    if (running.current === abort) running.current = null;
    change(outcome.change);
    const { queryKey } = team === null ? queries.limits : queries.teamLimits(team);
    void client.invalidateQueries({ queryKey });
    if (outcome.error !== null) noticeSignOut(client, outcome.error);
  }

  return {
    turns,
    running: isRunning(turns.at(-1)),
    stop,
    send: (text: string) => void reply([...turns, { id: ++lastId.current, role: "user", text }]),
    /** Continues with the results of the last reply's calls. */
    answer: (results: readonly CallResult[]) =>
      void reply([...turns, { id: ++lastId.current, role: "tool", results }]),
    /** Regenerates a reply; later turns are dropped. */
    regenerate: (id: number) => void reply(turnsBefore(turns, id)),
    /** Replaces a message; later turns are dropped. */
    edit: (id: number, text: string) =>
      void reply([...turnsBefore(turns, id), { id: ++lastId.current, role: "user", text }]),
    clear: () => {
      stop();
      setTurns([]);
    },
    /** Continues from another conversation. */
    adopt: (others: readonly Turn[]) => {
      lastId.current = Math.max(lastId.current, ...others.map(({ id }) => id));
      setTurns(others);
    },
  };
}

export type Chat = ReturnType<typeof useConversation>;

interface Outcome {
  change: Partial<ReplyTurn>;
  error: Error | null;
}

/** Streams one reply, passing intermediate states to `show`. Never rejects. */
async function runReply(
  team: string | null,
  settings: Settings,
  history: readonly Turn[],
  signal: AbortSignal,
  show: (change: Partial<ReplyTurn>) => void,
): Promise<Outcome> {
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  let content = noContent;
  let frame = 0;
  const end: Partial<ReplyTurn> = { state: "done" };
  try {
    for await (const part of streamChat(team, requestOf(settings, history), signal)) {
      if (part.type === "end") end.reason = part.reason;
      if (part.type === "usage")
        end.tokens = { prompt: part.promptTokens, completion: part.completionTokens };
      const grown = withPart(content, part);
      if (grown === content) continue;
      if (isEmpty(content)) show({ firstTokenMs: sinceStart() });
      content = grown;
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        show({ ...content, state: "writing" });
      });
    }
    return { change: { ...end, ...content, totalMs: sinceStart() }, error: null };
  } catch (error) {
    const totalMs = sinceStart();
    if (signal.aborted) return { change: { ...end, ...content, state: "stopped", totalMs }, error: null };
    const failure = error instanceof Error ? error.message : "Something went wrong. Try again.";
    return {
      change: { ...end, ...content, state: "failed", failure, retry: retryOf(error) },
      error: error instanceof Error ? error : null,
    };
  } finally {
    cancelAnimationFrame(frame);
  }
}

/** For a temporary refusal: a limit was reached (429) or the service is busy (503). */
function retryOf(error: unknown): ReplyTurn["retry"] {
  if (!(error instanceof ApiError)) return null;
  const { status, retryAfterSeconds = status === 429 ? usualWaitSeconds : null } = error;
  const passes = (status === 429 || status === 503) && retryAfterSeconds !== null;
  return passes ? { seconds: retryAfterSeconds, since: Date.now() } : null;
}

const usualWaitSeconds = 5;
