import { useQuery } from "@tanstack/react-query";
import type { KeyView } from "../../../../src/protocol/dashboard-api.js";
import { Card } from "../../../components/frame/card.tsx";
import { modelsText } from "../../../components/models/model-name.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { LastUsed } from "../../../components/text/last-used.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { consoleQueries } from "../../../service/console-queries.ts";
import { formatCount } from "../../../units.ts";
import { KeyStatus } from "../../app/keys/key-status.tsx";

/** The keys that were used last; the owner's own page has all of them. */
export function AccountKeys({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(consoleQueries.accountKeys(id));
  const shown = data?.keys.length ?? 0;
  return (
    <Card
      title="Keys"
      description={
        data !== undefined && data.total > shown
          ? `The ${formatCount(shown)} that were used last, of ${formatCount(data.total)}.`
          : undefined
      }
      flush
    >
      <Table
        label="Keys of the account"
        columns={columns}
        rows={data?.keys}
        rowId={(key) => key.id}
        error={error}
        onRetry={refetch}
        empty={<EmptyState title="No keys yet" />}
      />
    </Card>
  );
}

const columns: readonly Column<KeyView>[] = [
  {
    id: "name",
    header: "Name",
    cell: (key) => <span className="font-medium wrap-anywhere">{key.name}</span>,
    className: "max-w-72",
  },
  {
    id: "key",
    header: "Key",
    cell: (key) => <code className="font-mono text-sm whitespace-nowrap">…{key.lastFour}</code>,
  },
  { id: "models", header: "Models", cell: (key) => modelsText(key.models) },
  { id: "created", header: "Created", cell: (key) => <Time at={key.createdAt} style="date" /> },
  {
    id: "used",
    header: "Last used",
    cell: (key) => <LastUsed day={key.lastUsedDay} model={key.lastUsedModel} />,
  },
  { id: "status", header: "Status", cell: (key) => <KeyStatus status={key.status} /> },
];
