/** What groups at the provider give: a plan, the admin role, or both. */
import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import type { GroupRule } from "../../../../src/core/single-sign-on/provider.js";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { queries } from "../../../service/queries.ts";

interface GroupRulesProps {
  rules: readonly GroupRule[];
  error: string | undefined;
  onChange: (rules: GroupRule[]) => void;
}

export function GroupRules({ rules, error, onChange }: GroupRulesProps) {
  const { data } = useQuery(queries.admin.plans);
  const plans = [
    { value: "", label: "No plan" },
    ...(data?.plans ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const change = (at: number, to: Partial<GroupRule>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...to } : rule)));
  return (
    <Fieldset legend="Groups" error={error}>
      {rules.map((rule, at) => (
        <div
          key={at}
          className="grid grid-cols-[1fr_auto] items-end gap-x-3 gap-y-3 rounded-md border border-line p-3 sm:grid-cols-[1fr_1fr_auto]"
        >
          <Field label={`Group ${at + 1}`} className="col-span-2 sm:col-span-1">
            <Input
              value={rule.group}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target: { value } }) => change(at, { group: value })}
            />
          </Field>
          <Field label={`Plan of group ${at + 1}`}>
            <Select
              options={plans}
              value={rule.planId ?? ""}
              onChange={({ target: { value } }) => change(at, { planId: value === "" ? null : value })}
            />
          </Field>
          <IconButton
            label={`Remove group ${at + 1}`}
            onClick={() => onChange(rules.filter((_, index) => index !== at))}
          >
            <Trash2 />
          </IconButton>
          <Checkbox
            className="col-span-full"
            label="Its members are admins"
            checked={rule.isAdmin}
            onChange={({ target: { checked } }) => change(at, { isAdmin: checked })}
          />
        </div>
      ))}
      <Button
        size="sm"
        icon={<Plus />}
        className="self-start"
        onClick={() => onChange([...rules, { group: "", planId: null, isAdmin: false }])}
      >
        Add group
      </Button>
      <p className="text-sm text-muted">
        Applied at each sign-in, also when someone has left a group. The first group with a plan decides; the
        last admin stays one.
      </p>
    </Fieldset>
  );
}
