import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { Draft } from "../../../../src/core/admin/drafts.js";
import type { ChangelogEntry } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { MarkdownField } from "../../../components/controls/markdown-field.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";

interface EntryEditorProps {
  entry: ChangelogEntry | null;
  /** What a new entry begins with. */
  draft?: Draft;
  onClose: () => void;
}

/** Writes a new entry, or changes one. */
export function EntryEditor({ entry, draft, onClose }: EntryEditorProps) {
  const client = useQueryClient();
  const [title, setTitle] = useState(entry?.title ?? draft?.title ?? "");
  const [body, setBody] = useState(entry?.body ?? draft?.body ?? "");
  const [checked, setChecked] = useState(false);
  const untitled = title.trim() === "";
  const save = useMutation({
    mutationFn: () => {
      if (entry !== null) return api.admin.saveEntry(entry.id, { title, body });
      return draft === undefined
        ? api.admin.addEntry({ title, body })
        : api.admin.publishDraft(draft.model, { title, body });
    },
    onSuccess: async () => {
      toast(entry === null ? "Entry published" : "Entry saved");
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: queries.changelog.queryKey }),
        client.invalidateQueries({ queryKey: queries.admin.drafts.queryKey }),
      ]);
    },
  });
  const failure = formError(save.error, ["title", "body"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      size="lg"
      title={entry === null ? "New entry" : "Edit entry"}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="entry" variant="primary" pending={save.isPending}>
            {entry === null ? "Publish" : "Save"}
          </Button>
        </>
      }
    >
      <Form
        id="entry"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          setChecked(true);
          if (!untitled) save.mutate();
        }}
      >
        <Field label="Title" error={checked && untitled ? "Enter a title." : fieldError(save.error, "title")}>
          <Input value={title} maxLength={longest.title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <MarkdownField
          label="Text"
          value={body}
          onChange={setBody}
          maxLength={longest.announcement}
          error={fieldError(save.error, "body")}
        />
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
