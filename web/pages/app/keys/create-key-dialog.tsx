import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlanView } from "../../../../src/protocol/dashboard-api.js";
import { longest } from "../../../../src/protocol/dashboard-bounds.js";
import { modelIds, type ModelId } from "../../../../src/protocol/models.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { KeyLimitsField, limitsToSend, type TypedLimits } from "./key-limits-field.tsx";
import { NewSecret } from "./new-secret.tsx";

const expiries = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

interface CreateKeyDialogProps {
  plan: PlanView;
  onClose: () => void;
}

export function CreateKeyDialog({ plan, onClose }: CreateKeyDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [models, setModels] = useState<ModelId[] | null>(null);
  const [expiry, setExpiry] = useState("");
  const [limits, setLimits] = useState<TypedLimits | null>(null);
  const create = useMutation({
    mutationFn: () =>
      api.createKey({
        name,
        models,
        expiresInDays: expiry === "" ? null : Number(expiry),
        limits: limitsToSend(limits),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.keys.queryKey }),
    gcTime: 0,
  });
  const issued = create.data;
  const failure = formError(create.error, ["name", "models", "expiresInDays", "limits"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={issued === undefined ? "Create key" : "Key created"}
      dismissable={issued === undefined && !create.isPending}
      footer={
        issued === undefined ? (
          <>
            <Button onClick={onClose} disabled={create.isPending}>
              Cancel
            </Button>
            <Button type="submit" form="create-key" variant="primary" pending={create.isPending}>
              Create key
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {issued === undefined ? (
        <Form
          id="create-key"
          className="flex flex-col gap-5"
          error={create.error}
          onSubmit={() => {
            create.mutate();
          }}
        >
          <Field
            label="Name"
            hint="To tell your keys apart: where it is used."
            error={fieldError(create.error, "name")}
          >
            <Input
              value={name}
              maxLength={longest.keyName}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <ModelsField
            value={models}
            onChange={setModels}
            among={plan.models ?? modelIds}
            error={fieldError(create.error, "models")}
          />
          <Field label="Expires" error={fieldError(create.error, "expiresInDays")}>
            <Select value={expiry} onChange={(event) => setExpiry(event.target.value)} options={expiries} />
          </Field>
          <KeyLimitsField
            value={limits}
            onChange={setLimits}
            plan={plan}
            error={fieldError(create.error, "limits")}
          />
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <NewSecret name={issued.key.name} secret={issued.secret} />
      )}
    </Dialog>
  );
}
