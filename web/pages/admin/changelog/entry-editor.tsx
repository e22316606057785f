import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/protocol/dashboard-bounds.js";
import type { ChangelogEntry } from "../../../../src/protocol/dashboard.js";
import { api } from "../../../api.ts";
import { Button } from "../../../components/button.tsx";
import { Callout } from "../../../components/callout.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { Form } from "../../../components/form.tsx";
import { Input } from "../../../components/input.tsx";
import { MarkdownField } from "../../../components/markdown-field.tsx";
import { toast } from "../../../components/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../queries.ts";

/** Writes a new entry, or changes one. */
export function EntryEditor({ entry, onClose }: { entry: ChangelogEntry | null; onClose: () => void }) {
  const client = useQueryClient();
  const [title, setTitle] = useState(entry?.title ?? "");
  const [body, setBody] = useState(entry?.body ?? "");
  const [checked, setChecked] = useState(false);
  const untitled = title.trim() === "";
  const save = useMutation({
    mutationFn: () =>
      entry === null ? api.admin.addEntry({ title, body }) : api.admin.saveEntry(entry.id, { title, body }),
    onSuccess: async () => {
      toast(entry === null ? "Entry published" : "Entry saved");
      onClose();
      await client.invalidateQueries({ queryKey: queries.changelog.queryKey });
    },
  });
  const failure = formError(save.error, ["title", "body"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      size="lg"
      title={entry === null ? "Write entry" : "Edit entry"}
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
