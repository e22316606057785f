/** Entries that the service has drafted because a model was changed. Only admins see them until they are published. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Draft } from "../../../../src/core/admin/drafts.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Markdown } from "../../../components/text/markdown.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { EntryEditor } from "./entry-editor.tsx";

export function DraftList() {
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
