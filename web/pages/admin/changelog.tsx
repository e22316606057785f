import { useQuery } from "@tanstack/react-query";
import { Plus, Megaphone, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ChangelogEntry } from "../../../src/protocol/dashboard/api.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Table, type Column, actionsColumn } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { DraftList } from "./changelog/draft-list.tsx";
import { EntryEditor } from "./changelog/entry-editor.tsx";

type Open = { type: "create" } | { type: "edit" | "delete"; entry: ChangelogEntry } | null;

export default function Changelog() {
  const changelog = useQuery(queries.changelog);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const columns: Column<ChangelogEntry>[] = [
    {
      header: "Title",
      cell: (entry) => <span className="font-medium wrap-anywhere">{entry.title}</span>,
      className: "w-full",
    },
    {
      header: "Published",
      cell: (entry) => <Time at={entry.publishedAt} style="moment" />,
      className: "@min-[40rem]:whitespace-nowrap",
    },
    actionsColumn((entry) => (
      <span className="-mr-2 inline-flex">
        <IconButton label={`Edit ${entry.title}`} onClick={() => setOpen({ type: "edit", entry })}>
          <Pencil />
        </IconButton>
        <IconButton label={`Delete ${entry.title}`} onClick={() => setOpen({ type: "delete", entry })}>
          <Trash2 />
        </IconButton>
      </span>
    )),
  ];
  return (
    <>
      <PageHeader
        title="Changelog"
        description="Announcements of changes. Maintenance windows have a page of their own and appear in the public changelog, too."
        actions={
          <Button variant="primary" icon={<Plus />} onClick={() => setOpen({ type: "create" })}>
            New entry
          </Button>
        }
      />
      <DraftList />
      <Card flush>
        <Table
          label="Entries"
          columns={columns}
          rows={changelog.data?.entries.filter((entry) => entry.kind === "entry")}
          rowId={(entry) => entry.id}
          query={changelog}
          empty={
            <EmptyState icon={<Megaphone />} title="No entries yet">
              Publish one when something changes for your users.
            </EmptyState>
          }
        />
      </Card>
      {open?.type === "create" && <EntryEditor entry={null} onClose={close} />}
      {open?.type === "edit" && <EntryEditor entry={open.entry} onClose={close} />}
      {open?.type === "delete" && (
        <ConfirmDialog
          onClose={close}
          title="Delete entry"
          onConfirm={() => api.admin.deleteEntry(open.entry.id)}
          done="Entry deleted"
          reads={[queries.changelog.queryKey]}
        >
          <strong className="font-medium wrap-anywhere text-ink">{open.entry.title}</strong> will be removed
          from the page and the feed.
        </ConfirmDialog>
      )}
    </>
  );
}
