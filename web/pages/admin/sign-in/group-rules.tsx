/** What groups at the provider give: a plan, a team, the admin role. */
import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import { teamRoles } from "../../../../src/core/entities.js";
import type { GroupRule } from "../../../../src/core/single-sign-on/provider.js";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input, Select, unaided } from "../../../components/controls/field.tsx";
import { Fieldset } from "../../../components/controls/fieldset.tsx";
import { teamQueries } from "../../../service/teams.ts";
import { usePlans } from "../../../service/use-plans.ts";
import { isRole, roleName } from "../../app/team/team-roles.ts";

const roles = teamRoles.map((role) => ({ value: role, label: roleName(role) }));

interface GroupRulesProps {
  rules: readonly GroupRule[];
  onChange: (rules: GroupRule[]) => void;
}

export function GroupRules({ rules, onChange }: GroupRulesProps) {
  const { options } = usePlans();
  const { data: found } = useQuery(teamQueries.admin.list("", 0));
  const teams = found?.teams ?? [];
  const teamsId = useId();
  const plans = [{ value: "", label: "No plan" }, ...options];
  const change = (at: number, to: Partial<GroupRule>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...to } : rule)));
  return (
    <Fieldset legend="Groups" name="groups">
      <datalist id={teamsId}>
        {teams.map(({ id, name }) => (
          <option key={id} value={id} label={name} />
        ))}
      </datalist>
      {rules.map((rule, at) => (
        <div
          key={at}
          className="grid grid-cols-[1fr_auto] items-end gap-x-3 gap-y-3 rounded-md border border-line p-3 sm:grid-cols-[1fr_1fr_auto]"
        >
          <Field label={`Group ${at + 1}`} className="col-span-2 sm:col-span-1">
            <Input value={rule.group} {...unaided} onValue={(value) => change(at, { group: value })} />
          </Field>
          <Field label={`Plan of group ${at + 1}`}>
            <Select
              options={plans}
              value={rule.planId ?? ""}
              onValue={(value) => change(at, { planId: value === "" ? null : value })}
            />
          </Field>
          <IconButton
            label={`Remove group ${at + 1}`}
            onClick={() => onChange(rules.filter((_, index) => index !== at))}
          >
            <Trash2 />
          </IconButton>
          <Field
            label={`Team of group ${at + 1}`}
            aside="optional"
            className="col-span-2 self-start sm:col-span-1"
            hint={
              teams.find(({ id }) => id === rule.team?.id)?.name ??
              "Its ID. Type part of its name to find it."
            }
          >
            <Input
              list={teamsId}
              value={rule.team?.id ?? ""}
              {...unaided}
              onValue={(value) =>
                change(at, {
                  team: value === "" ? null : { id: value, role: rule.team?.role ?? "member" },
                })
              }
            />
          </Field>
          <Field
            label={`Role in the team of group ${at + 1}`}
            className="col-span-2 self-start sm:col-span-1"
          >
            <Select
              options={roles}
              disabled={rule.team === null}
              value={rule.team?.role ?? "member"}
              onValue={(value) =>
                change(at, { team: rule.team && isRole(value) ? { ...rule.team, role: value } : rule.team })
              }
            />
          </Field>
          <Checkbox
            className="col-span-full"
            label="Members are admins"
            checked={rule.isAdmin}
            onChange={(checked) => change(at, { isAdmin: checked })}
          />
        </div>
      ))}
      <Button
        size="sm"
        icon={<Plus />}
        className="self-start"
        onClick={() => onChange([...rules, { group: "", planId: null, isAdmin: false, team: null }])}
      >
        Add group
      </Button>
      <p className="text-sm text-muted">
        Applied at each sign-in, also when someone has left a group. The first of their groups with a plan
        sets it. The last admin and a team’s last owner keep their role; invited members stay.
      </p>
    </Fieldset>
  );
}
