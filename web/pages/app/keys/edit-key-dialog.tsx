import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyView, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { longest } from "../../../../src/core/bounds.js";
import { modelIds, type ModelId } from "../../../../src/core/models.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { useSpace } from "../../../hooks/use-space.ts";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { daysToSend, ExpiryField, sameExpiry } from "./expiry-field.tsx";
import { KeyLimitsField, limitFieldNames, limitsToSend, typedLimits } from "./key-limits-field.tsx";
import { NetworksField, networksToSend } from "./networks-field.tsx";
import { TagsField, tagsToSend } from "./tags-field.tsx";

interface EditKeyDialogProps {
  apiKey: KeyView;
  plan: PlanView;
  onClose: () => void;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** Changes a key’s name, permissions and expiry. The key itself stays the same. */
export function EditKeyDialog({ apiKey, plan, onClose }: EditKeyDialogProps) {
  const client = useQueryClient();
  const { id: team } = useSpace();
  const [name, setName] = useState(apiKey.name);
  const [models, setModels] = useState<ModelId[] | null>(apiKey.models);
  const [limits, setLimits] = useState(typedLimits(apiKey.limits));
  const [expiry, setExpiry] = useState(apiKey.expiresAt === null ? "" : sameExpiry);
  const [tags, setTags] = useState(apiKey.tags.join(", "));
  const [networks, setNetworks] = useState(apiKey.allowFrom?.join(", ") ?? "");
  const save = useMutation({
    mutationFn: () =>
      api.editKey(
        apiKey.id,
        {
          ...{ name, models, limits: limitsToSend(limits), tags: tagsToSend(tags) },
          allowFrom: networksToSend(networks),
          ...(expiry === sameExpiry ? {} : { expiresInDays: daysToSend(expiry) }),
        },
        team,
      ),
    onSuccess: async (key) => {
      toast(`${key.name} saved`);
      onClose();
      await client.invalidateQueries({ queryKey: queries.keys.queryKey });
    },
  });
  const fields = ["name", "models", "expiresInDays", ...limitFieldNames, "tags", "allowFrom"];
  const failure = formError(save.error, fields);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Edit key"
      description={
        <>
          The key ending in <code className="font-mono text-ink">{apiKey.lastFour}</code> stays the same;
          changes apply from the next request on.
        </>
      }
      dismissable={!save.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="edit-key" variant="primary" pending={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="edit-key"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          if (!save.isPending) save.mutate();
        }}
      >
        <Field label="Name" error={fieldError(save.error, "name")}>
          <Input
            value={name}
            maxLength={longest.keyName}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <TagsField value={tags} onChange={setTags} error={fieldError(save.error, "tags")} />
        {apiKey.scopes.length === 0 && (
          <ModelsField
            value={models}
            onChange={setModels}
            among={plan.models ?? modelIds}
            error={fieldError(save.error, "models")}
          />
        )}
        <ExpiryField
          value={expiry}
          onChange={setExpiry}
          {...(apiKey.expiresAt !== null && { now: `On ${day.format(new Date(apiKey.expiresAt))}, as now` })}
          error={fieldError(save.error, "expiresInDays")}
        />
        <NetworksField value={networks} onChange={setNetworks} error={fieldError(save.error, "allowFrom")} />
        <KeyLimitsField value={limits} onChange={setLimits} plan={plan} error={save.error} />
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
