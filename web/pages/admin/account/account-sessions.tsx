import { useState } from "react";
import type { AccountDetail } from "../../../../src/protocol/dashboard/accounts.js";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/breakable.tsx";
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
          onClose={() => setEnding(false)}
          title="Sign out everywhere"
          confirm="Sign out"
          onConfirm={() => adminApi.endSessions(account.id)}
          done={`${account.email} is signed out everywhere`}
          // It may be the reader’s own account.
          reads={[["admin"], queries.site.queryKey]}
        >
          <Address email={account.email} className="font-medium text-ink" /> has to sign in again in every
          browser. Keys keep working.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const columns: readonly Column<SessionView>[] = [
  { header: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} style="moment" /> },
  { header: "Last active", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} style="date" /> },
];
