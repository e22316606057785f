import { MessageSquare } from "lucide-react";
import { EmptyState } from "../../../../components/states/empty-state.tsx";
import { announcement, TurnView } from "../conversation-view.tsx";
import type { CallResult, Turn, UserTurn } from "../conversation.ts";
import type { Chat } from "../use-conversation.ts";
import { UserMessage } from "../user-message.tsx";

interface ComparisonProps {
  chats: readonly [Chat, Chat];
  blocked: boolean;
  onRegenerate: (chat: Chat, id: number) => void;
  onAnswer: (chat: Chat, results: readonly CallResult[]) => void;
}

/** Two conversations with the same questions, side by side; on a phone one reply below the other. */
export function Comparison({ chats, blocked, onRegenerate, onAnswer }: ComparisonProps) {
  const [left, right] = chats;
  const others = exchangesOf(right.turns);
  const pairs = exchangesOf(left.turns).flatMap((exchange, at) => {
    const other = others[at];
    return other === undefined ? [] : [{ exchange, other }];
  });
  const locked = left.running || right.running || blocked;
  if (pairs.length === 0) {
    return (
      <EmptyState icon={<MessageSquare />} title="Ask both">
        Each message goes to both models at once, as two requests that count against your limits.
      </EmptyState>
    );
  }
  const column = (chat: Chat, { turns }: Exchange) => (
    <div className="flex min-w-0 flex-col gap-7">
      {turns.map((turn) => (
        <TurnView
          key={turn.id}
          turn={turn}
          last={turn === chat.turns.at(-1)}
          blocked={blocked}
          onStop={chat.stop}
          onRegenerate={() => onRegenerate(chat, turn.id)}
          onAnswer={(results) => onAnswer(chat, results)}
        />
      ))}
    </div>
  );
  return (
    <>
      <ol className="flex flex-col gap-7 pb-6">
        {pairs.map(({ exchange, other }) => (
          <li key={exchange.user.id} className="flex flex-col gap-7">
            <UserMessage
              text={exchange.user.text}
              locked={locked}
              onEdit={(text) => {
                left.edit(exchange.user.id, text);
                right.edit(other.user.id, text);
              }}
            />
            {isShared(exchange, other) ? (
              exchange.turns.map((turn) => (
                <TurnView
                  key={turn.id}
                  turn={turn}
                  last={false}
                  blocked={blocked}
                  onRegenerate={() => undefined}
                  onAnswer={() => undefined}
                />
              ))
            ) : (
              <div className="grid grid-cols-1 gap-7 md:grid-cols-2 md:gap-0 md:divide-x md:divide-line md:[&>*:first-child]:pr-5 md:[&>*:last-child]:pl-5">
                {column(left, exchange)}
                {column(right, other)}
              </div>
            )}
          </li>
        ))}
      </ol>
      {chats.map((chat, at) => (
        <p key={at} role="status" className="sr-only">
          {announcement(chat.turns.at(-1))}
        </p>
      ))}
    </>
  );
}

/** A conversation split at the user's messages, which align the replies of two models. */
interface Exchange {
  user: UserTurn;
  /** What followed: a reply, and with calls their results and the next replies. */
  turns: readonly Exclude<Turn, UserTurn>[];
}

function exchangesOf(turns: readonly Turn[]): Exchange[] {
  const exchanges: { user: UserTurn; turns: Exclude<Turn, UserTurn>[] }[] = [];
  for (const turn of turns) {
    if (turn.role === "user") exchanges.push({ user: turn, turns: [] });
    else exchanges.at(-1)?.turns.push(turn);
  }
  return exchanges;
}

/** Whether both come from one conversation, which the second one continues. */
function isShared(left: Exchange, right: Exchange): boolean {
  return left.turns.length === right.turns.length && left.turns.every((turn, at) => turn === right.turns[at]);
}
