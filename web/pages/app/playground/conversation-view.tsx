import { MessageSquare } from "lucide-react";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import type { Turn } from "./conversation.ts";
import { Reply } from "./reply.tsx";
import type { useConversation } from "./use-conversation.ts";
import { UserMessage } from "./user-message.tsx";

export function Conversation({ chat }: { chat: ReturnType<typeof useConversation> }) {
  const { turns, running } = chat;
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
              <UserMessage text={turn.text} locked={running} onEdit={(text) => chat.edit(turn.id, text)} />
            ) : (
              <Reply
                turn={turn}
                last={place === turns.length - 1}
                onRegenerate={() => chat.regenerate(turn.id)}
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

/** Announced once a reply is complete, not word by word. Failures are announced where they are shown. */
function announcement(turn: Turn | undefined): string {
  if (turn?.role !== "assistant") return "";
  if (turn.state === "waiting") return "Waiting for the reply.";
  if (turn.state === "done") return `${turn.model} replied: ${turn.text}`;
  if (turn.state === "stopped") return "Stopped.";
  return "";
}
