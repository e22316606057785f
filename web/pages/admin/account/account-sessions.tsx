import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountDetail } from "../../../../src/protocol/dashboard/accounts.js";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/address.tsx";
import { useFirstRows } from "../../../components/text/first-rows.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { adminApi } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";

type SessionView = AccountDetail["sessions"][number];

interface AccountSessionsProps {
  account: AccountView;
  sessions: readonly SessionView[];
}

export function AccountSessions({ account, sessions }: AccountSessionsProps) {
  const client = useQueryClient();
  const [ending, setEnding] = useState(false);
  const { shown, more } = useFirstRows(sessions, `Show all ${plural(sessions.length, "session")}`);
  return (
    <Card
      title="Sessions"
      description="Where its owner is signed in. Network addresses are not recorded."
      actions={
        sessions.length > 0 && (
          <Button size="sm" onClick={() => setEnding(true)}>
            Sign out everywhere…
          </Button>
        )
      }
      flush
    >
      <Table
        label="Sessions"
        columns={columns}
        rows={shown}
        rowId={({ createdAt, lastSeenAt, expiresAt }) => `${createdAt} ${lastSeenAt} ${expiresAt}`}
        empty={<EmptyState title="Not signed in anywhere" />}
      />
      {more}
      {ending && (
        <ConfirmDialog
          open
          onOpenChange={() => setEnding(false)}
          title="Sign out everywhere"
          confirm="Sign out"
          onConfirm={async () => {
            await adminApi.endSessions(account.id);
            toast(`${account.email} is signed out everywhere`);
            await Promise.all([
              client.invalidateQueries({ queryKey: ["admin"] }),
              // It may be the reader’s own account.
              client.invalidateQueries({ queryKey: queries.site.queryKey }),
            ]);
          }}
        >
          <Address email={account.email} className="font-medium text-ink" /> has to sign in again in every
          browser. Keys keep working.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const columns: readonly Column<SessionView>[] = [
  { id: "created", header: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} style="moment" /> },
  { id: "seen", header: "Last active", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { id: "expires", header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} style="date" /> },
];
