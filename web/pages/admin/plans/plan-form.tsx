import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import { api } from "../../../service/api.ts";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input, unaided } from "../../../components/controls/field.tsx";
import { ModelsField } from "../../../components/controls/models-field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";
import {
  bodyOf,
  draftOf,
  errorsOf,
  idFrom,
  type CountedPlan,
  type NumberField,
  type PlanDraft,
} from "./plan-draft.ts";

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

export function PlanForm({ plan, taken, onClose }: PlanFormProps) {
  const isNew = plan === null;
  const [draft, setDraft] = useState(() => draftOf(plan));
  const [ownId, setOwnId] = useState(false);
  const [checked, setChecked] = useState(false);
  const set = (change: Partial<PlanDraft>) => setDraft({ ...draft, ...change });
  const save = useChange(() => api.admin.savePlan(draft.id, bodyOf(draft)), {
    done: isNew ? `${draft.name} created` : `${draft.name} saved`,
    onDone: onClose,
    // It may be the reader’s own plan.
    reads: [["admin"], queries.site.queryKey],
  });
  const faults = errorsOf(draft, isNew, taken);
  const faultAt = (field: NumberField | "id" | "name") => ({
    name: field,
    error: checked ? faults[field] : undefined,
  });
  return (
    <FormDialog
      title={isNew ? "Create plan" : "Edit plan"}
      description={
        plan !== null && plan.accounts > 0
          ? `${plural(plan.accounts, "account")} on this plan. Changes apply from the next request.`
          : undefined
      }
      className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
      change={save}
      onSubmit={() => {
        setChecked(true);
        if (Object.keys(faults).length === 0) save.mutate();
      }}
      submit={isNew ? "Create plan" : "Save"}
      onClose={onClose}
    >
      <Field label="Name" {...faultAt("name")} className={isNew ? "" : "sm:col-span-2"}>
        <Input
          value={draft.name}
          maxLength={longest.planName}
          autoComplete="off"
          onValue={(value) => set(isNew && !ownId ? { name: value, id: idFrom(value) } : { name: value })}
        />
      </Field>
      {isNew && (
        <Field label="Id" {...faultAt("id")}>
          <Input
            value={draft.id}
            maxLength={64}
            {...unaided}
            className="font-mono"
            onValue={(id) => {
              setOwnId(true);
              set({ id });
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
          {...faultAt(field)}
          className={field === "maxTokens" || field === "weight" ? "sm:col-span-2" : ""}
        >
          <Input
            inputMode="numeric"
            autoComplete="off"
            placeholder={empty}
            value={draft[field]}
            onValue={(value) => set({ [field]: value.trim() })}
          />
        </Field>
      ))}
      <div className="sm:col-span-2">
        <ModelsField value={draft.models} onChange={(models) => set({ models })} />
      </div>
      <Checkbox
        className="sm:col-span-2"
        label="Require encrypted requests"
        hint="Requests with a plain body are refused, from the playground, too."
        checked={draft.requiresEncryption}
        onChange={(checked) => set({ requiresEncryption: checked })}
      />
    </FormDialog>
  );
}
