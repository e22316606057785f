import { useState } from "react";
import { longest } from "../../../src/core/bounds.js";
import type { Draft } from "../../../src/core/admin/drafts.js";
import type { ChangelogEntry } from "../../../src/protocol/dashboard/api.js";
import { Field, Input } from "../../components/controls/field.tsx";
import { MarkdownField } from "../../components/controls/markdown-field.tsx";
import { FormDialog } from "../../components/overlays/form-dialog.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";

interface EntryEditorProps {
  entry: ChangelogEntry | null;
  /** What a new entry begins with. */
  draft?: Draft;
  onClose: () => void;
}

/** Writes a new entry, or changes one. */
export function EntryEditor({ entry, draft, onClose }: EntryEditorProps) {
  const [title, setTitle] = useState(entry?.title ?? draft?.title ?? "");
  const [body, setBody] = useState(entry?.body ?? draft?.body ?? "");
  const [checked, setChecked] = useState(false);
  const untitled = title.trim() === "";
  const save = useChange(
    () => {
      if (entry !== null) return api.admin.saveEntry(entry.id, { title, body });
      return draft === undefined
        ? api.admin.addEntry({ title, body })
        : api.admin.publishDraft(draft.model, { title, body });
    },
    {
      done: entry === null ? "Entry published" : "Entry saved",
      onDone: onClose,
      reads: [queries.changelog.queryKey, queries.admin.drafts.queryKey],
    },
  );

  return (
    <FormDialog
      size="lg"
      title={entry === null ? "New entry" : "Edit entry"}
      change={save}
      onSubmit={() => {
        setChecked(true);
        if (!untitled) save.mutate();
      }}
      submit={entry === null ? "Publish" : "Save"}
      onClose={onClose}
    >
      <Field label="Title" name="title" error={checked && untitled ? "Enter a title." : undefined}>
        <Input value={title} maxLength={longest.title} onValue={setTitle} />
      </Field>
      <MarkdownField value={body} onChange={setBody} />
    </FormDialog>
  );
}
