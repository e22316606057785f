import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import { eventTypes, type SubscribedType } from "../../../../src/core/events/events.js";
import type { WebhookView } from "../../../../src/protocol/dashboard/webhooks.js";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

interface WebhookDialogProps {
  /** Null for a new one. */
  webhook: WebhookView | null;
  onClose: () => void;
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const client = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [events, setEvents] = useState<SubscribedType[] | null>(webhook?.events ?? null);
  const [isOn, setOn] = useState(webhook === null || webhook.off === null);
  const save = useMutation({
    mutationFn: async (): Promise<string | null> => {
      const body = { url, description, events };
      if (webhook === null) return (await adminApi.createWebhook(body)).secret;
      await adminApi.saveWebhook(webhook.id, { ...body, isOn });
      return null;
    },
    onSuccess: async (secret) => {
      if (secret === null) {
        toast("Webhook saved");
        onClose();
      }
      await client.invalidateQueries({ queryKey: adminQueries.webhooks.queryKey });
    },
    gcTime: 0,
  });
  const failure = formError(save.error, ["url", "description", "events"]);
  const secret = save.data ?? null;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={secret !== null ? "Webhook created" : webhook === null ? "Create webhook" : "Edit webhook"}
      dismissable={secret === null && !save.isPending}
      footer={
        secret === null ? (
          <>
            <Button onClick={onClose} disabled={save.isPending}>
              Cancel
            </Button>
            <Button type="submit" form="webhook" variant="primary" pending={save.isPending}>
              {webhook === null ? "Create webhook" : "Save"}
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {secret === null ? (
        <Form
          id="webhook"
          className="flex flex-col gap-5"
          error={save.error}
          onSubmit={() => {
            if (!save.isPending) save.mutate();
          }}
        >
          <Field
            label="Address"
            hint="Gets a signed POST request for each event."
            error={fieldError(save.error, "url")}
          >
            <Input
              type="url"
              value={url}
              maxLength={longest.webhookUrl}
              placeholder="https://hooks.example.com/sotto"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setUrl(event.target.value)}
            />
          </Field>
          <Field label="Description" aside="optional" error={fieldError(save.error, "description")}>
            <Input
              value={description}
              maxLength={longest.webhookDescription}
              autoComplete="off"
              onChange={(event) => setDescription(event.target.value)}
            />
          </Field>
          <EventsField value={events} onChange={setEvents} error={fieldError(save.error, "events")} />
          {webhook !== null && (
            <Checkbox
              label="Send events"
              hint="While this is off, events are not queued for it."
              checked={isOn}
              onChange={({ target }) => setOn(target.checked)}
            />
          )}
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <WebhookSecret secret={secret} />
      )}
    </Dialog>
  );
}

interface EventsFieldProps {
  /** Null for all. */
  value: SubscribedType[] | null;
  onChange: (events: SubscribedType[] | null) => void;
  error: string | undefined;
}

function EventsField({ value, onChange, error }: EventsFieldProps) {
  return (
    <Fieldset legend="Events" error={error}>
      <Checkbox
        label="All events"
        hint="Including those that later versions add."
        checked={value === null}
        onChange={({ target }) => onChange(target.checked ? null : [...eventTypes])}
      />
      {value !== null && (
        <div className="grid grid-cols-1 gap-x-4 gap-y-2 sm:grid-cols-2">
          {eventTypes.map((type) => (
            <Checkbox
              key={type}
              label={<code className="font-mono text-sm">{type}</code>}
              checked={value.includes(type)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, type] : value.filter((other) => other !== type))
              }
            />
          ))}
        </div>
      )}
    </Fieldset>
  );
}
