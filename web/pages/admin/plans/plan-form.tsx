import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";
import { bodyOf, draftOf, errorsOf, idFrom, type NumberField, type PlanDraft } from "./plan-draft.ts";
import type { CountedPlan } from "./plan-table.tsx";

interface PlanFormProps {
  /** Null for a new one. */
  plan: CountedPlan | null;
  /** Ids that are already taken. */
  taken: readonly string[];
  onClose: () => void;
}

/** In pairs, as they are shown side by side. */
const numbers: readonly { field: NumberField; label: string; empty?: string; hint?: string }[] = [
  { field: "requestsPerMinute", label: "Requests per minute" },
  { field: "tokensPerMinute", label: "Tokens per minute" },
  { field: "requestsPerDay", label: "Requests per day", empty: "No quota" },
  { field: "tokensPerDay", label: "Tokens per day", empty: "No quota" },
  { field: "requestsPerMonth", label: "Requests per month", empty: "No quota" },
  { field: "tokensPerMonth", label: "Tokens per month", empty: "No quota" },
  { field: "concurrentRequests", label: "Concurrent requests" },
  { field: "maxKeys", label: "Keys" },
  { field: "maxTokens", label: "Maximum reply length, in tokens", empty: "The model’s context" },
  { field: "weight", label: "Weight", hint: "Share of a busy engine beside other plans, 1 to 100." },
];

const fields = ["id", "name", "models", ...numbers.map(({ field }) => field)];

export function PlanForm({ plan, taken, onClose }: PlanFormProps) {
  const client = useQueryClient();
  const isNew = plan === null;
  const [draft, setDraft] = useState(() => draftOf(plan));
  const [ownId, setOwnId] = useState(false);
  const [checked, setChecked] = useState(false);
  const set = (change: Partial<PlanDraft>) => setDraft({ ...draft, ...change });
  const save = useMutation({
    mutationFn: () => api.admin.savePlan(draft.id, bodyOf(draft)),
    onSuccess: async () => {
      toast(isNew ? `${draft.name} created` : `${draft.name} saved`);
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: ["admin"] }),
        // It may be the reader’s own plan.
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
      ]);
    },
  });
  const faults = errorsOf(draft, isNew, taken);
  const errorAt = (field: NumberField | "id" | "name") =>
    (checked ? faults[field] : undefined) ?? fieldError(save.error, field);
  const failure = formError(save.error, fields);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      title={isNew ? "Create plan" : "Edit plan"}
      description={
        plan !== null && plan.accounts > 0
          ? `${plural(plan.accounts, "account")} on this plan. Changes apply from the next request.`
          : undefined
      }
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="plan" variant="primary" pending={save.isPending}>
            {isNew ? "Create plan" : "Save"}
          </Button>
        </>
      }
    >
      <Form
        id="plan"
        className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
        error={save.error}
        onSubmit={() => {
          setChecked(true);
          if (Object.keys(faults).length === 0) save.mutate();
        }}
      >
        <Field label="Name" error={errorAt("name")} className={isNew ? "" : "sm:col-span-2"}>
          <Input
            value={draft.name}
            maxLength={longest.planName}
            autoComplete="off"
            onChange={({ target: { value } }) =>
              set(isNew && !ownId ? { name: value, id: idFrom(value) } : { name: value })
            }
          />
        </Field>
        {isNew && (
          <Field label="Id" error={errorAt("id")}>
            <Input
              value={draft.id}
              maxLength={64}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => {
                setOwnId(true);
                set({ id: event.target.value });
              }}
            />
          </Field>
        )}
        {numbers.map(({ field, label, empty, hint }) => (
          <Field
            key={field}
            label={label}
            aside={empty === undefined ? undefined : "optional"}
            hint={hint}
            error={errorAt(field)}
            className={field === "maxTokens" || field === "weight" ? "sm:col-span-2" : ""}
          >
            <Input
              inputMode="numeric"
              autoComplete="off"
              placeholder={empty}
              value={draft[field]}
              onChange={(event) => set({ [field]: event.target.value.trim() })}
            />
          </Field>
        ))}
        <div className="sm:col-span-2">
          <ModelsField
            value={draft.models}
            onChange={(models) => set({ models })}
            error={fieldError(save.error, "models")}
          />
        </div>
        <Checkbox
          className="sm:col-span-2"
          label="Require encrypted requests"
          hint="Requests with a plain body are refused, from the playground, too."
          checked={draft.requiresEncryption}
          onChange={({ target: { checked } }) => set({ requiresEncryption: checked })}
        />
        {failure !== undefined && (
          <Callout tone="bad" className="sm:col-span-2">
            {failure}
          </Callout>
        )}
      </Form>
    </Dialog>
  );
}
