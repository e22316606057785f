import { KeyRound } from "lucide-react";
import { Link } from "wouter";
import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { ButtonLink } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { LastUsed } from "../../../components/text/last-used.tsx";
import { Table, type Column, type TableQuery } from "../../../components/text/table.tsx";
import { plural } from "../../../units.ts";
import { hasEnded, KeyStatus } from "../keys/key-status.tsx";

const most = 5;

interface RecentKeysProps {
  keys: readonly KeyView[] | undefined;
  query: TableQuery;
}

/** The keys that still work, those used last first. */
export function RecentKeys({ keys, query }: RecentKeysProps) {
  const live = keys?.filter((key) => !hasEnded(key));
  const count = live?.length ?? 0;
  return (
    <Card
      flush
      title="Recent keys"
      actions={
        <ButtonLink href="/app/keys" size="sm">
          {count > most ? `All ${plural(count, "key")}` : "All keys"}
        </ButtonLink>
      }
    >
      <Table
        label="Recent keys"
        columns={columns}
        rows={live?.toSorted((one, other) => recency(other) - recency(one)).slice(0, most)}
        rowId={(key) => key.id}
        query={query}
        empty={
          <EmptyState
            icon={<KeyRound />}
            title="No working keys"
            action={<ButtonLink href="/app/keys">Create key</ButtonLink>}
          />
        }
      />
    </Card>
  );
}

/** When something last happened to it. */
const recency = ({ lastUsedDay, createdAt }: KeyView): number =>
  Math.max(Date.parse(createdAt), lastUsedDay === null ? 0 : Date.parse(lastUsedDay));

const columns: readonly Column<KeyView>[] = [
  {
    header: "Name",
    className: "max-w-64",
    cell: ({ id, name, lastFour }) => (
      <span className="block min-w-0">
        <Link
          href={`/app/usage?${new URLSearchParams({ period: "7d", key: id }).toString()}`}
          title="Usage of the last 7 days"
          className="font-medium wrap-anywhere text-accent"
        >
          {name}
        </Link>
        <span className="block font-mono text-xs text-muted">…{lastFour}</span>
      </span>
    ),
  },
  {
    header: "Last used",
    cell: ({ lastUsedDay, lastUsedModel }) => <LastUsed day={lastUsedDay} model={lastUsedModel} />,
  },
  { header: "Status", cell: ({ status }) => <KeyStatus status={status} /> },
];
