import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { modelsText } from "../../../components/models/model-name.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { LastUsed } from "../../../components/text/last-used.tsx";
import { useFirstRows } from "../../../components/text/first-rows.tsx";
import { Table, type Column, actionsColumn } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { formatCount, plural } from "../../../units.ts";
import { KeyStatus } from "../../app/keys/key-status.tsx";
import { RevokeKeyDialog } from "../../app/keys/revoke-key-dialog.tsx";

/** The most recently used keys; the owner's own page has all of them. */
export function AccountKeys({ id }: { id: string }) {
  const list = useQuery(adminQueries.accountKeys(id));
  const [known, total] = [list.data?.keys.length ?? 0, list.data?.total ?? 0];
  const all = total > known ? `Show ${plural(known, "key")}` : `Show all ${plural(known, "key")}`;
  const [revoking, setRevoking] = useState<KeyView | null>(null);
  const { shown, more } = useFirstRows(list.data?.keys, all);
  return (
    <Card
      title="Keys"
      description={
        total > known ? `The ${formatCount(known)} most recently used, of ${formatCount(total)}.` : undefined
      }
      flush
    >
      <Table
        label="Keys of the account"
        columns={[...columns, revokeColumn(setRevoking)]}
        rows={shown}
        compact
        rowId={(key) => key.id}
        query={list}
        empty={<EmptyState title="No keys yet" />}
      />
      {more}
      {revoking !== null && (
        <RevokeKeyDialog
          apiKey={revoking}
          revoke={() => adminApi.setKey(revoking.id, "revoke")}
          queryKey={["admin"]}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}

const revokeColumn = (onRevoke: (key: KeyView) => void): Column<KeyView> =>
  actionsColumn(
    (key) =>
      key.status !== "revoked" &&
      key.status !== "expired" && (
        <Button
          size="sm"
          aria-label={`Revoke ${key.name}, ending in ${key.lastFour}`}
          onClick={() => onRevoke(key)}
        >
          Revoke…
        </Button>
      ),
  );

const columns: readonly Column<KeyView>[] = [
  {
    header: "Name",
    cell: (key) => <span className="font-medium wrap-anywhere">{key.name}</span>,
    className: "max-w-72",
  },
  {
    header: "Key",
    cell: (key) => <code className="font-mono text-sm whitespace-nowrap">…{key.lastFour}</code>,
  },
  {
    header: "Models",
    cell: (key) => (key.scopes.length > 0 ? key.scopes.join(", ") : modelsText(key.models)),
  },
  { header: "Created", cell: (key) => <Time at={key.createdAt} style="date" /> },
  {
    header: "Last used",
    cell: (key) => <LastUsed day={key.lastUsedDay} model={key.lastUsedModel} />,
  },
  { header: "Status", cell: (key) => <KeyStatus status={key.status} /> },
];
