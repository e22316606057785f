/** What this server keeps in memory of the account's conversations, until when, and a button that drops it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Kept } from "../../../../src/core/serving/engine-port.js";
import type { KeptOfAccount } from "../../../../src/core/serving/kept-memory.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Loaded } from "../../../components/states/loaded.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { useCountdown } from "../../../hooks/use-countdown.ts";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { formatClock, plural } from "../../../units.ts";

export function CachedNow() {
  const client = useQueryClient();
  const read = useQuery(queries.memory);
  const { data, dataUpdatedAt } = read;
  const forget = useChange(() => api.forgetMemory(), {
    done: "Cached conversations forgotten",
    onDone: (after) => client.setQueryData(queries.memory.queryKey, after),
    toastsErrors: true,
  });
  return (
    <Card
      title="Cached now"
      description={
        <>
          What stays in memory of your conversations for ten minutes, so that the next turn starts quickly. It
          is not written to disk. See{" "}
          <Link href="/docs/privacy#memory" className="text-accent underline underline-offset-3">
            Privacy
          </Link>
          .
        </>
      }
      actions={
        data && (
          <Button size="sm" pending={forget.isPending} onClick={() => forget.mutate()}>
            Forget now
          </Button>
        )
      }
    >
      <Loaded query={read} what="what is cached" lines={2}>
        {(data) => <Ledger memory={data} readAt={dataUpdatedAt} />}
      </Loaded>
    </Card>
  );
}

function Ledger({ memory, readAt }: { memory: KeptOfAccount; readAt: number }) {
  const lines = kinds.filter(({ of }) => memory[of].count > 0);
  return (
    <>
      {lines.length === 0 ? (
        <p>Nothing is cached.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {lines.map(({ of, one, many }) => (
            <Line key={of} kept={memory[of]} one={one} many={many} readAt={readAt} />
          ))}
        </ul>
      )}
      <p className="mt-3 max-w-prose text-sm text-muted">
        A reply that is being generated is counted once it ends.
        {memory.isElsewhere &&
          " Some models run on engines on the network. What those engines cache is not known here, and “Forget now” does not reach it."}
        {memory.hasOtherServers &&
          " These are the counts of the server that answered you. Other servers of this service have their own; “Forget now” reaches all of them."}
      </p>
    </>
  );
}

function Line({ kept, one, many, readAt }: { kept: Kept; one: string; many: string; readAt: number }) {
  const seconds = useCountdown(kept.lastMs / 1_000, readAt);
  return (
    <li className="tabular-nums">
      <span className="font-medium">{plural(kept.count, one, many)}</span>, gone in {formatClock(seconds)}
    </li>
  );
}

const kinds: readonly { of: "conversations" | "items" | "schemas" | "routes"; one: string; many: string }[] =
  [
    { of: "conversations", one: "conversation", many: "conversations" },
    {
      of: "items",
      one: "item of a reply from /v1/responses, encrypted",
      many: "items of replies from /v1/responses, encrypted",
    },
    { of: "schemas", one: "compiled JSON schema", many: "compiled JSON schemas" },
    {
      of: "routes",
      one: "hash that routes a conversation to its engine",
      many: "hashes that route conversations to their engines",
    },
  ];
