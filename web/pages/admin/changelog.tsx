import { useQuery } from "@tanstack/react-query";
import { Plus, Megaphone, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Draft } from "../../../src/core/admin/drafts.js";
import type { ChangelogEntry } from "../../../src/protocol/dashboard/api.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Markdown } from "../../components/text/markdown.tsx";
import { Table, type Column, actionsColumn } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { useChange, useReadAgain } from "../../hooks/use-change.ts";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { EntryEditor } from "./entry-editor.tsx";

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

/** Entries that the service has drafted because a model was changed. Only admins see them until they are published. */
function DraftList() {
  const readAgain = useReadAgain();
  const { data } = useQuery(queries.admin.drafts);
  const [editing, setEditing] = useState<Draft | null>(null);
  const act = useChange(
    async ({ work, done }: { work: () => Promise<unknown>; model: string; done: string }) => {
      await work();
      toast(done);
      await readAgain([queries.admin.drafts.queryKey, queries.changelog.queryKey]);
    },
    { onDone: () => document.getElementById("main")?.focus(), toastsErrors: true },
  );
  if (data === undefined || data.drafts.length === 0) return null;
  return (
    <Card
      title="Drafts"
      description="Written when a model was changed. Only admins see them."
      className="mb-6"
      flush
    >
      <ul className="divide-y divide-line">
        {data.drafts.map((draft) => (
          <li key={draft.model} className="px-5 py-4 sm:px-6">
            <h3 className="font-medium wrap-anywhere">{draft.title}</h3>
            <div className="mt-1 text-sm">
              <Markdown>{draft.body}</Markdown>
            </div>
            <div className="mt-3 flex flex-wrap gap-2">
              <Button
                size="sm"
                variant="primary"
                pending={act.isPending && act.variables.model === draft.model}
                onClick={() =>
                  act.mutate({
                    model: draft.model,
                    work: () => api.admin.publishDraft(draft.model, { title: draft.title, body: draft.body }),
                    done: "Entry published",
                  })
                }
              >
                Publish<span className="sr-only">: {draft.title}</span>
              </Button>
              <Button size="sm" onClick={() => setEditing(draft)}>
                Edit<span className="sr-only">: {draft.title}</span>
              </Button>
              <Button
                size="sm"
                variant="quiet"
                disabled={act.isPending}
                onClick={() =>
                  act.mutate({
                    model: draft.model,
                    work: () => api.admin.discardDraft(draft.model),
                    done: "Draft discarded",
                  })
                }
              >
                Discard<span className="sr-only">: {draft.title}</span>
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {editing !== null && <EntryEditor entry={null} draft={editing} onClose={() => setEditing(null)} />}
    </Card>
  );
}
