import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { Maintenance } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { MaintenanceNotice } from "../../../components/frame/maintenance-banner.tsx";
import { MarkdownField } from "../../../components/controls/markdown-field.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { fullHourFrom, localInput, momentOf } from "./local-time.ts";

interface MaintenanceEditorProps {
  /** The planned window to edit; null for a new one. */
  window: Maintenance | null;
  onClose: () => void;
}

/** Schedules a window, in the reader's time zone, and previews the banner. */
export function MaintenanceEditor({ window, onClose }: MaintenanceEditorProps) {
  const client = useQueryClient();
  const [title, setTitle] = useState(window?.title ?? "");
  const [body, setBody] = useState(window?.body ?? "");
  const [starts, setStarts] = useState(() => localInput(momentFrom(window?.startsAt, 24)));
  const [ends, setEnds] = useState(() => localInput(momentFrom(window?.endsAt, 25)));
  const [checked, setChecked] = useState(false);
  const startsAt = momentOf(starts);
  const endsAt = momentOf(ends);
  const schedule = useMutation({
    mutationFn: (times: { startsAt: string; endsAt: string }) =>
      window === null
        ? api.admin.scheduleMaintenance({ title, body, ...times })
        : api.admin.changeMaintenance(window.id, { title, body, ...times }),
    onSuccess: async () => {
      toast(window === null ? "Maintenance scheduled" : "Maintenance updated");
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: queries.changelog.queryKey }),
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
      ]);
    },
  });
  const errorAt = (field: string) => fieldError(schedule.error, field);
  const titleError = checked && title.trim() === "" ? "Enter a title." : undefined;
  const startError = checked && startsAt === null ? "Choose a date and time." : undefined;
  const endError = checked ? errorOfEnd(startsAt, endsAt) : undefined;
  const failure = formError(schedule.error, ["title", "body", "startsAt", "endsAt"]);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!schedule.isPending}
      size="lg"
      title={window === null ? "Schedule maintenance" : "Edit maintenance"}
      description={`New requests get 503 during the window. Times are in your time zone, ${zone}.`}
      footer={
        <>
          <Button onClick={onClose} disabled={schedule.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="maintenance" variant="primary" pending={schedule.isPending}>
            {window === null ? "Schedule" : "Save"}
          </Button>
        </>
      }
    >
      <Form
        id="maintenance"
        className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
        error={schedule.error}
        onSubmit={() => {
          setChecked(true);
          if (title.trim() === "" || startsAt === null || endsAt === null || startsAt >= endsAt) return;
          schedule.mutate({ startsAt, endsAt });
        }}
      >
        <Field label="Title" error={titleError ?? errorAt("title")} className="sm:col-span-2">
          <Input value={title} maxLength={longest.title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Field label="Starts" error={startError ?? errorAt("startsAt")}>
          <Input type="datetime-local" value={starts} onChange={(event) => setStarts(event.target.value)} />
        </Field>
        <Field label="Ends" error={endError ?? errorAt("endsAt")}>
          <Input
            type="datetime-local"
            value={ends}
            min={starts}
            onChange={(event) => setEnds(event.target.value)}
          />
        </Field>
        <div className="sm:col-span-2">
          <MarkdownField
            label="Text"
            value={body}
            onChange={setBody}
            maxLength={longest.announcement}
            error={errorAt("body")}
          />
        </div>
        {startsAt !== null && endsAt !== null && (
          <div className="sm:col-span-2">
            <p className="mb-1.5 text-sm font-medium">Banner, shown from the day before</p>
            <div className="overflow-clip rounded-md border border-line [&_a]:pointer-events-none" inert>
              <MaintenanceNotice
                className="px-4"
                maintenance={{
                  title: title.trim() === "" ? "Title" : title,
                  startsAt,
                  endsAt,
                  state: "planned",
                }}
              />
            </div>
          </div>
        )}
        {failure !== undefined && (
          <Callout tone="bad" className="sm:col-span-2">
            {failure}
          </Callout>
        )}
      </Form>
    </Dialog>
  );
}

/** The planned time, or the full hour this many hours from now. */
function momentFrom(planned: string | undefined, hours: number): Date {
  return planned === undefined ? fullHourFrom(Date.now(), hours) : new Date(planned);
}

function errorOfEnd(startsAt: string | null, endsAt: string | null): string | undefined {
  if (endsAt === null) return "Choose a date and time.";
  return startsAt !== null && startsAt >= endsAt ? "The end must be after the start." : undefined;
}
