import { MessageSquare } from "lucide-react";
import { CopyButton } from "../../../components/controls/copy-button.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { awaitsResults, type CallResult, type Turn, type UserTurn } from "./conversation.ts";
import { Reply } from "./reply.tsx";
import type { Chat } from "./use-conversation.ts";
import { UserMessage } from "./user-message.tsx";

interface ConversationProps {
  chat: Chat;
  /** The settings contain an invalid value: nothing can be sent. */
  blocked: boolean;
  onRegenerate: (id: number) => void;
  onAnswer: (results: readonly CallResult[]) => void;
}

export function Conversation({ chat, blocked, onRegenerate, onAnswer }: ConversationProps) {
  const { turns } = chat;
  const locked = chat.running || blocked;
  if (turns.length === 0) {
    return (
      <EmptyState icon={<MessageSquare />} title="Ask something">
        Your messages count against the same limits as your keys. They are processed in memory, and stay there
        for up to ten minutes so that your next turn starts faster.
      </EmptyState>
    );
  }
  return (
    <>
      <ol className="flex flex-col gap-7 pb-6">
        {turns.map((turn, place) => (
          <li key={turn.id}>
            {turn.role === "user" ? (
              <UserMessage text={turn.text} locked={locked} onEdit={(text) => chat.edit(turn.id, text)} />
            ) : (
              <TurnView
                turn={turn}
                last={place === turns.length - 1}
                blocked={blocked}
                onRegenerate={() => onRegenerate(turn.id)}
                onAnswer={onAnswer}
              />
            )}
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {announcement(turns.at(-1))}
      </p>
    </>
  );
}

interface TurnViewProps {
  turn: Exclude<Turn, UserTurn>;
  last: boolean;
  blocked: boolean;
  onStop?: () => void;
  onRegenerate: () => void;
  onAnswer: (results: readonly CallResult[]) => void;
}

/** A reply, or the results that its calls were given. */
export function TurnView({ turn, ...reply }: TurnViewProps) {
  return turn.role === "tool" ? <Results results={turn.results} /> : <Reply turn={turn} {...reply} />;
}

/** Announced once a reply is complete, not word by word. Failures are announced where they are shown. */
export function announcement(turn: Turn | undefined): string {
  if (turn?.role !== "assistant") return "";
  if (turn.state === "waiting") return "Waiting for the reply.";
  if (awaitsResults(turn)) {
    const names = turn.calls.map(({ name }) => name).join(", ");
    return `${turn.model} is waiting for the results of its calls: ${names}. ${turn.text}`;
  }
  if (turn.state === "done") return `${turn.model} replied: ${turn.text}`;
  if (turn.state === "stopped") return "Stopped.";
  return "";
}

/** The user's results for the calls of a reply, as plain text. */
function Results({ results }: { results: readonly CallResult[] }) {
  return (
    <ol aria-label="Results" className="flex flex-col gap-3">
      {results.map(({ name, text }, place) => (
        <li key={place} className="flex flex-col items-end gap-1">
          <div className="max-w-[85%] rounded-lg bg-hover px-4 py-2.5">
            <p className="text-sm wrap-anywhere text-muted">Result of {name}</p>
            <p dir="auto" className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
              {text === "" ? "(empty)" : text}
            </p>
          </div>
          <CopyButton text={text} label="Copy result" />
        </li>
      ))}
    </ol>
  );
}
