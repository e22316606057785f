import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { Maintenance } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Field, Input } from "../../../components/controls/field.tsx";
import { MaintenanceNotice } from "../../../components/frame/maintenance-banner.tsx";
import { MarkdownField } from "../../../components/controls/markdown-field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { queries } from "../../../service/queries.ts";
import { fullHourFrom, localInput, momentOf } from "./local-time.ts";

interface MaintenanceEditorProps {
  /** The planned window to edit; null for a new one. */
  window: Maintenance | null;
  onClose: () => void;
}

/** Schedules a window, in the reader's time zone, and previews the banner. */
export function MaintenanceEditor({ window, onClose }: MaintenanceEditorProps) {
  const [title, setTitle] = useState(window?.title ?? "");
  const [body, setBody] = useState(window?.body ?? "");
  const [starts, setStarts] = useState(() => localInput(momentFrom(window?.startsAt, 24)));
  const [ends, setEnds] = useState(() => localInput(momentFrom(window?.endsAt, 25)));
  const [checked, setChecked] = useState(false);
  const startsAt = momentOf(starts);
  const endsAt = momentOf(ends);
  const schedule = useChange(
    () => {
      const planned = { title, body, startsAt: startsAt ?? "", endsAt: endsAt ?? "" };
      return window === null
        ? api.admin.scheduleMaintenance(planned)
        : api.admin.changeMaintenance(window.id, planned);
    },
    {
      done: window === null ? "Maintenance scheduled" : "Maintenance updated",
      onDone: onClose,
      reads: [queries.changelog.queryKey, queries.site.queryKey],
    },
  );

  const titleError = checked && title.trim() === "" ? "Enter a title." : undefined;
  const startError = checked && startsAt === null ? "Choose a date and time." : undefined;
  const endError = checked ? errorOfEnd(startsAt, endsAt) : undefined;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <FormDialog
      size="lg"
      title={window === null ? "Schedule maintenance" : "Edit maintenance"}
      description={`New requests get 503 during the window. Times are in your time zone, ${zone}.`}
      className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
      change={schedule}
      onSubmit={() => {
        setChecked(true);
        if (title.trim() === "" || startsAt === null || endsAt === null || startsAt >= endsAt) return;
        schedule.mutate();
      }}
      submit={window === null ? "Schedule" : "Save"}
      onClose={onClose}
    >
      <Field label="Title" name="title" error={titleError} className="sm:col-span-2">
        <Input value={title} maxLength={longest.title} onValue={setTitle} />
      </Field>
      <Field label="Starts" name="startsAt" error={startError}>
        <Input type="datetime-local" value={starts} onValue={setStarts} />
      </Field>
      <Field label="Ends" name="endsAt" error={endError}>
        <Input type="datetime-local" value={ends} min={starts} onValue={setEnds} />
      </Field>
      <div className="sm:col-span-2">
        <MarkdownField value={body} onChange={setBody} />
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
    </FormDialog>
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
