import { useState } from "react";
import type { KeyView, PlanView } from "../../../../src/protocol/dashboard/api.js";
import { longest } from "../../../../src/core/bounds.js";
import { modelIds, type ModelId } from "../../../../src/core/models.js";
import { Field, Input } from "../../../components/controls/field.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { useSpace } from "../../../hooks/use-space.ts";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import {
  daysToSend,
  ExpiryField,
  sameExpiry,
  NetworksField,
  networksToSend,
  TagsField,
  tagsToSend,
} from "./key-fields.tsx";
import { KeyLimitsField, limitsToSend, typedLimits } from "./key-limits-field.tsx";

interface EditKeyDialogProps {
  apiKey: KeyView;
  plan: PlanView;
  onClose: () => void;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** Changes a key’s name, permissions and expiry. The key itself stays the same. */
export function EditKeyDialog({ apiKey, plan, onClose }: EditKeyDialogProps) {
  const { id: team } = useSpace();
  const [name, setName] = useState(apiKey.name);
  const [models, setModels] = useState<ModelId[] | null>(apiKey.models);
  const [limits, setLimits] = useState(typedLimits(apiKey.limits));
  const [expiry, setExpiry] = useState(apiKey.expiresAt === null ? "" : sameExpiry);
  const [tags, setTags] = useState(apiKey.tags.join(", "));
  const [networks, setNetworks] = useState(apiKey.allowFrom?.join(", ") ?? "");
  const save = useChange(
    () =>
      api.editKey(
        apiKey.id,
        {
          ...{ name, models, limits: limitsToSend(limits), tags: tagsToSend(tags) },
          allowFrom: networksToSend(networks),
          ...(expiry === sameExpiry ? {} : { expiresInDays: daysToSend(expiry) }),
        },
        team,
      ),
    { done: (key) => `${key.name} saved`, onDone: onClose, reads: [queries.keys.queryKey] },
  );

  return (
    <FormDialog
      title="Edit key"
      description={
        <>
          The key ending in <code className="font-mono text-ink">{apiKey.lastFour}</code> stays the same;
          changes apply from the next request on.
        </>
      }
      change={save}
      submit="Save"
      onClose={onClose}
    >
      <Field label="Name" name="name">
        <Input value={name} maxLength={longest.keyName} autoComplete="off" onValue={setName} />
      </Field>
      <TagsField value={tags} onChange={setTags} />
      {apiKey.scopes.length === 0 && (
        <ModelsField value={models} onChange={setModels} among={plan.models ?? modelIds} />
      )}
      <ExpiryField
        value={expiry}
        onChange={setExpiry}
        {...(apiKey.expiresAt !== null && { now: `On ${day.format(new Date(apiKey.expiresAt))}, as now` })}
      />
      <NetworksField value={networks} onChange={setNetworks} />
      <KeyLimitsField value={limits} onChange={setLimits} plan={plan} />
    </FormDialog>
  );
}
