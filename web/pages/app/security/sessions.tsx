import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SessionView } from "../../../../src/protocol/dashboard/factors.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { factorApi, factorQueries } from "../../../service/factors.ts";

export function Sessions() {
  const list = useQuery(factorQueries.sessions);
  const [asking, setAsking] = useState(false);
  const sessions = list.data?.sessions;
  return (
    <Card
      flush
      title="Sessions"
      description="Browsers in which you are signed in. Network addresses are not recorded."
      actions={
        sessions !== undefined &&
        sessions.length > 1 && (
          <Button size="sm" onClick={() => setAsking(true)}>
            Sign out others…
          </Button>
        )
      }
    >
      <Table
        label="Sessions"
        columns={columns}
        rows={sessions}
        rowId={({ id }) => id}
        query={list}
        empty={<EmptyState title="Not signed in anywhere" />}
      />
      {asking && (
        <ConfirmDialog
          title="Sign out other browsers"
          confirm="Sign out others"
          tone="primary"
          onConfirm={() => factorApi.endOtherSessions()}
          done="Other browsers were signed out"
          reads={[factorQueries.sessions.queryKey]}
          onClose={() => setAsking(false)}
        >
          You stay signed in here. Your keys keep working.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const methods: Record<SessionView["method"], string> = {
  password: "Password",
  passkey: "Passkey",
  oidc: "Identity provider",
  link: "Link",
};

const columns: readonly Column<SessionView>[] = [
  {
    header: "Browser",
    cell: ({ device, isThisOne }) => (
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{device ?? "Unknown browser"}</span>
        {isThisOne && <Badge tone="accent">This one</Badge>}
      </span>
    ),
  },
  { header: "Method", cell: ({ method }) => methods[method] },
  { header: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} style="moment" /> },
  { header: "Last active", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
  { header: "", align: "right", cell: (session) => <End session={session} /> },
];

function End({ session: { id, device, isThisOne } }: { session: SessionView }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => factorApi.endSession(id),
    onSuccess: () => toast("Signed out there"),
    onError: (error) => toast(error.message, "bad"),
    onSettled: () => client.invalidateQueries({ queryKey: factorQueries.sessions.queryKey }),
  });
  if (isThisOne) return null;
  return (
    <Button
      size="sm"
      variant="quiet"
      className="-mr-2.5"
      pending={end.isPending}
      aria-label={`Sign out ${device ?? "unknown browser"}`}
      onClick={() => end.mutate()}
    >
      Sign out
    </Button>
  );
}
