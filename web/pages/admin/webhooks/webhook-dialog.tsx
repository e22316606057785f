import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import { eventTypes, type SubscribedType } from "../../../../src/core/events/events.js";
import type { WebhookView } from "../../../../src/protocol/dashboard/webhooks.js";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { Field, Input, unaided } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { ShownOnce } from "../../../components/overlays/one-time-link.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";

interface WebhookDialogProps {
  /** Null for a new one. */
  webhook: WebhookView | null;
  onClose: () => void;
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [events, setEvents] = useState<SubscribedType[] | null>(webhook?.events ?? null);
  const [isOn, setOn] = useState(webhook === null || webhook.off === null);
  const save = useChange(
    async (): Promise<string | null> => {
      const body = { url, description, events };
      if (webhook === null) return (await adminApi.createWebhook(body)).secret;
      await adminApi.saveWebhook(webhook.id, { ...body, isOn });
      return null;
    },
    {
      onDone: (created) => {
        if (created !== null) return;
        toast("Webhook saved");
        onClose();
      },
      reads: [adminQueries.webhooks.queryKey],
    },
  );
  const secret = save.data ?? null;
  const action = webhook === null ? "Create webhook" : "Edit webhook";
  return (
    <FormDialog
      title={secret === null ? action : "Webhook created"}
      change={save}
      submit={webhook === null ? action : "Save"}
      result={secret === null ? undefined : <WebhookSecret secret={secret} />}
      onClose={onClose}
    >
      <Field label="Address" hint="Gets a signed POST request for each event." name="url">
        <Input
          type="url"
          value={url}
          maxLength={longest.webhookUrl}
          placeholder="https://hooks.example.com/sotto"
          {...unaided}
          onValue={setUrl}
        />
      </Field>
      <Field label="Description" aside="optional" name="description">
        <Input
          value={description}
          maxLength={longest.webhookDescription}
          autoComplete="off"
          onValue={setDescription}
        />
      </Field>
      <EventsField value={events} onChange={setEvents} />
      {webhook !== null && (
        <Checkbox
          label="Send events"
          hint="While this is off, events are not queued for it."
          checked={isOn}
          onChange={setOn}
        />
      )}
    </FormDialog>
  );
}

interface EventsFieldProps {
  /** Null for all. */
  value: SubscribedType[] | null;
  onChange: (events: SubscribedType[] | null) => void;
}

function EventsField({ value, onChange }: EventsFieldProps) {
  return (
    <Fieldset legend="Events" name="events">
      <Checkbox
        label="All events"
        hint="Including those that later versions add."
        checked={value === null}
        onChange={(checked) => onChange(checked ? null : [...eventTypes])}
      />
      {value !== null && (
        <div className="grid grid-cols-1 gap-x-4 gap-y-2 sm:grid-cols-2">
          {eventTypes.map((type) => (
            <Checkbox
              key={type}
              label={<code className="font-mono text-sm">{type}</code>}
              checked={value.includes(type)}
              onChange={(checked) =>
                onChange(checked ? [...value, type] : value.filter((other) => other !== type))
              }
            />
          ))}
        </div>
      )}
    </Fieldset>
  );
}

/** What deliveries are signed with, shown this once. */
function WebhookSecret({ secret }: { secret: string }) {
  return (
    <ShownOnce>
      <CopyField label="Signing secret" value={secret} />
      <Callout tone="warn" title="Copy it now">
        It cannot be shown again. If you lose it, rotate it.
      </Callout>
      <p className="text-sm text-muted">
        Deliveries are signed with it according to Standard Webhooks, whose libraries can verify them.
      </p>
    </ShownOnce>
  );
}

export function RotateSecretDialog({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }) {
  const rotate = useChange(() => adminApi.rotateWebhookSecret(webhook.id));
  return (
    <FormDialog
      title={rotate.data === undefined ? "Rotate secret" : "Secret rotated"}
      className="flex flex-col gap-4"
      change={rotate}
      submit="Rotate secret"
      result={rotate.data && <WebhookSecret secret={rotate.data.secret} />}
      onClose={onClose}
    >
      <p>
        Deliveries to <strong className="font-medium wrap-anywhere text-ink">{webhook.url}</strong> are signed
        with both secrets for a day, then with the new one alone.
      </p>
    </FormDialog>
  );
}
