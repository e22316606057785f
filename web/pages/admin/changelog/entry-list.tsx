import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Megaphone, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ChangelogEntry } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { IconButton } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { queries } from "../../../service/queries.ts";
import { DraftList } from "./draft-list.tsx";
import { EntryEditor } from "./entry-editor.tsx";

type Open = { type: "edit" | "delete"; entry: ChangelogEntry } | null;

export function EntryList() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(queries.changelog);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<ChangelogEntry>[] = [
    {
      id: "title",
      header: "Title",
      cell: (entry) => <span className="font-medium wrap-anywhere">{entry.title}</span>,
      className: "w-full",
    },
    {
      id: "published",
      header: "Published",
      cell: (entry) => <Time at={entry.publishedAt} style="moment" />,
      className: "@min-[40rem]:whitespace-nowrap",
    },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (entry) => (
        <span className="-mr-2 inline-flex">
          <IconButton label={`Edit ${entry.title}`} onClick={() => setOpen({ type: "edit", entry })}>
            <Pencil />
          </IconButton>
          <IconButton label={`Delete ${entry.title}`} onClick={() => setOpen({ type: "delete", entry })}>
            <Trash2 />
          </IconButton>
        </span>
      ),
    },
  ];
  return (
    <>
      <DraftList />
      <Card flush>
        <Table
          label="Entries"
          columns={columns}
          rows={data?.entries.filter((entry) => entry.kind === "entry")}
          rowId={(entry) => entry.id}
          error={error}
          onRetry={refetch}
          empty={
            <EmptyState icon={<Megaphone />} title="No entries yet">
              Publish one when something changes for your users.
            </EmptyState>
          }
        />
        {open?.type === "edit" && <EntryEditor entry={open.entry} onClose={close} />}
        {open?.type === "delete" && (
          <ConfirmDialog
            open
            onOpenChange={close}
            title="Delete entry"
            confirm="Delete entry"
            onConfirm={async () => {
              await api.admin.deleteEntry(open.entry.id);
              toast("Entry deleted");
              await client.invalidateQueries({ queryKey: queries.changelog.queryKey });
            }}
          >
            <strong className="font-medium wrap-anywhere text-ink">{open.entry.title}</strong> will be removed
            from the page and the feed.
          </ConfirmDialog>
        )}
      </Card>
    </>
  );
}
