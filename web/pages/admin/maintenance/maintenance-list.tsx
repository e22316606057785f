import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Construction, Pencil } from "lucide-react";
import { useState } from "react";
import type { Maintenance } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Badge, type Tone } from "../../../components/states/badge.tsx";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { outcomeOf, type Outcome } from "../../../components/frame/maintenance-window.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { queries } from "../../../service/queries.ts";
import { MaintenanceEditor } from "./maintenance-editor.tsx";

export function MaintenanceList() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(queries.changelog);
  const [ending, setEnding] = useState<Maintenance | null>(null);
  const [editing, setEditing] = useState<Maintenance | null>(null);
  const columns: Column<Maintenance>[] = [
    {
      id: "title",
      header: "Title",
      cell: (window) => <span className="font-medium wrap-anywhere">{window.title}</span>,
      className: "w-full",
    },
    {
      id: "starts",
      header: "Starts",
      cell: (window) => <Time at={window.startsAt} style="moment" />,
      className: "@min-[56rem]:whitespace-nowrap",
    },
    {
      id: "ends",
      header: "Ends",
      cell: (window) => <Time at={endOf(window)} style="moment" />,
      className: "@min-[56rem]:whitespace-nowrap",
    },
    { id: "state", header: "State", cell: (window) => <State window={window} /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (window) => (
        <span className="inline-flex items-center gap-1">
          {window.state === "planned" && (
            <IconButton label={`Edit ${window.title}`} onClick={() => setEditing(window)}>
              <Pencil />
            </IconButton>
          )}
          {window.state !== "over" && (
            <Button size="sm" onClick={() => setEnding(window)}>
              {window.state === "open" ? "End now" : "Call off"}
            </Button>
          )}
        </span>
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
          <EmptyState icon={<Construction />} title="No maintenance scheduled">
            Requests get 503 during a window. It is announced on every page from the day before.
          </EmptyState>
        }
      />
      {editing !== null && <MaintenanceEditor window={editing} onClose={() => setEditing(null)} />}
      {ending !== null && (
        <ConfirmDialog
          open
          onOpenChange={() => setEnding(null)}
          title={ending.state === "open" ? "End maintenance" : "Call off maintenance"}
          confirm={ending.state === "open" ? "End now" : "Call off"}
          tone="primary"
          onConfirm={async () => {
            await api.admin.endMaintenance(ending.id);
            toast(ending.state === "open" ? "Maintenance ended" : "Maintenance called off");
            await Promise.all([
              client.invalidateQueries({ queryKey: queries.changelog.queryKey }),
              client.invalidateQueries({ queryKey: queries.site.queryKey }),
            ]);
          }}
        >
          <strong className="font-medium wrap-anywhere text-ink">{ending.title}</strong>{" "}
          {ending.state === "open" ? "ends now, and requests are accepted again." : "will not take place."}
        </ConfirmDialog>
      )}
    </Card>
  );
}

function endOf(window: Maintenance): string {
  return outcomeOf(window) === "ended early" ? (window.endedAt ?? window.endsAt) : window.endsAt;
}

function State({ window }: { window: Maintenance }) {
  const { tone, word } = states[outcomeOf(window)];
  return <Badge tone={tone}>{word}</Badge>;
}

const states: Record<Outcome, { tone: Tone; word: string }> = {
  planned: { tone: "accent", word: "Scheduled" },
  open: { tone: "warn", word: "In progress" },
  over: { tone: "neutral", word: "Completed" },
  "ended early": { tone: "neutral", word: "Ended early" },
  "called off": { tone: "neutral", word: "Called off" },
};
