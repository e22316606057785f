import { useQuery } from "@tanstack/react-query";
import { Plus, Construction, Pencil } from "lucide-react";
import { useState } from "react";
import type { Maintenance as Window } from "../../../src/protocol/dashboard/api.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { outcomeOf, type Outcome } from "../../components/frame/maintenance-window.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Badge, type Tone } from "../../components/states/badge.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Table, type Column, actionsColumn } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { MaintenanceEditor } from "./maintenance/maintenance-editor.tsx";

type Open = { type: "schedule" } | { type: "edit" | "end"; window: Window } | null;

export default function Maintenance() {
  const changelog = useQuery(queries.changelog);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<Window>[] = [
    {
      header: "Title",
      cell: (window) => <span className="font-medium wrap-anywhere">{window.title}</span>,
      className: "w-full",
    },
    {
      header: "Starts",
      cell: (window) => <Time at={window.startsAt} style="moment" />,
      className: "@min-[56rem]:whitespace-nowrap",
    },
    {
      header: "Ends",
      cell: (window) => <Time at={endOf(window)} style="moment" />,
      className: "@min-[56rem]:whitespace-nowrap",
    },
    { header: "State", cell: (window) => <State window={window} /> },
    actionsColumn((window) => (
      <span className="inline-flex items-center gap-1">
        {window.state === "planned" && (
          <IconButton label={`Edit ${window.title}`} onClick={() => setOpen({ type: "edit", window })}>
            <Pencil />
          </IconButton>
        )}
        {window.state !== "over" && (
          <Button size="sm" onClick={() => setOpen({ type: "end", window })}>
            {window.state === "open" ? "End now" : "Call off"}
          </Button>
        )}
      </span>
    )),
  ];
  const isOpen = open?.type === "end" && open.window.state === "open";
  return (
    <>
      <PageHeader
        title="Maintenance"
        description="Windows in which requests get 503, announced on every page from the day before."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setOpen({ type: "schedule" })}>
            Schedule maintenance
          </Button>
        }
      />
      <Card flush>
        <Table
          label="Maintenance windows"
          columns={columns}
          rows={changelog.data?.entries.flatMap((entry) => entry.maintenance ?? [])}
          rowId={(window) => window.id}
          query={changelog}
          empty={
            <EmptyState icon={<Construction />} title="No maintenance scheduled">
              Requests get 503 during a window. It is announced on every page from the day before.
            </EmptyState>
          }
        />
      </Card>
      {open?.type === "schedule" && <MaintenanceEditor window={null} onClose={close} />}
      {open?.type === "edit" && <MaintenanceEditor window={open.window} onClose={close} />}
      {open?.type === "end" && (
        <ConfirmDialog
          onClose={close}
          title={isOpen ? "End maintenance" : "Call off maintenance"}
          confirm={isOpen ? "End now" : "Call off"}
          tone="primary"
          onConfirm={() => api.admin.endMaintenance(open.window.id)}
          done={isOpen ? "Maintenance ended" : "Maintenance called off"}
          reads={[queries.changelog.queryKey, queries.site.queryKey]}
        >
          <strong className="font-medium wrap-anywhere text-ink">{open.window.title}</strong>{" "}
          {isOpen ? "ends now, and requests are accepted again." : "will not take place."}
        </ConfirmDialog>
      )}
    </>
  );
}

function endOf(window: Window): string {
  return outcomeOf(window) === "ended early" ? (window.endedAt ?? window.endsAt) : window.endsAt;
}

function State({ window }: { window: Window }) {
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
