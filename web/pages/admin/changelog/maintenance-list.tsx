import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Construction } from "lucide-react";
import { useState } from "react";
import type { Maintenance } from "../../../../src/protocol/dashboard.js";
import { api } from "../../../api.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { ConfirmDialog } from "../../../components/confirm-dialog.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { Table, type Column } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { queries } from "../../../queries.ts";

export function MaintenanceList() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(queries.changelog);
  const [ending, setEnding] = useState<Maintenance | null>(null);
  const columns: Column<Maintenance>[] = [
    {
      id: "title",
      header: "Title",
      cell: (window) => <span className="font-medium wrap-anywhere">{window.title}</span>,
      className: "sm:w-full",
    },
    { id: "starts", header: "Starts", cell: (window) => <Time at={window.startsAt} style="moment" /> },
    {
      id: "ends",
      header: "Ends",
      cell: (window) => (
        <Time at={wasCalledOff(window) ? window.endsAt : (window.endedAt ?? window.endsAt)} style="moment" />
      ),
    },
    { id: "state", header: "State", cell: (window) => <State window={window} /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (window) =>
        window.state === "over" ? null : (
          <Button size="sm" onClick={() => setEnding(window)}>
            {window.state === "open" ? "End now" : "Call off"}
          </Button>
        ),
    },
  ];
  return (
    <Card flush>
      <Table
        label="Maintenance windows"
        columns={columns}
        rows={data?.entries.flatMap((entry) => entry.maintenance ?? [])}
        rowId={(window) => window.id}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState icon={<Construction />} title="No maintenance planned">
            During a window requests are refused with 503. It is announced on every page a day before.
          </EmptyState>
        }
      />
      {ending !== null && (
        <ConfirmDialog
          open
          onOpenChange={() => setEnding(null)}
          title={ending.state === "open" ? "End maintenance" : "Call off maintenance"}
          confirm={ending.state === "open" ? "End now" : "Call off"}
          tone="primary"
          onConfirm={async () => {
            await api.admin.endMaintenance(ending.id);
            toast(ending.state === "open" ? "Maintenance is over" : "Maintenance is called off");
            await Promise.all([
              client.invalidateQueries({ queryKey: queries.changelog.queryKey }),
              client.invalidateQueries({ queryKey: queries.site.queryKey }),
            ]);
          }}
        >
          <strong className="font-medium wrap-anywhere text-ink">{ending.title}</strong>{" "}
          {ending.state === "open" ? "ends now: requests are answered again." : "will not take place."}
        </ConfirmDialog>
      )}
    </Card>
  );
}

function State({ window }: { window: Maintenance }) {
  if (wasCalledOff(window)) return <Badge>Called off</Badge>;
  if (window.state === "over" && window.endedAt !== null) return <Badge>Ended early</Badge>;
  const { tone, word } = states[window.state];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Ended before it began. */
function wasCalledOff({ endedAt, startsAt }: Maintenance): boolean {
  return endedAt !== null && Date.parse(endedAt) <= Date.parse(startsAt);
}

const states: Record<Maintenance["state"], { tone: Tone; word: string }> = {
  planned: { tone: "accent", word: "Planned" },
  open: { tone: "warn", word: "Open" },
  over: { tone: "neutral", word: "Over" },
};
