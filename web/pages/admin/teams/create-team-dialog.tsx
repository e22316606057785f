import { useState } from "react";
import { useLocation } from "wouter";
import { longest } from "../../../../src/core/bounds.js";
import { Field, Input, Select } from "../../../components/controls/field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { teamApi } from "../../../service/teams.ts";
import { usePlans } from "../../../service/use-plans.ts";

export function CreateTeamDialog({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [ownerEmail, setOwnerEmail] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const { options } = usePlans();
  const planId = chosen ?? options[0]?.value ?? "";
  const create = useChange(() => teamApi.admin.create({ name, planId, ownerEmail: ownerEmail.trim() }), {
    done: ({ team }) => `${team.name} created`,
    onDone: ({ team }) => navigate(`/admin/teams/${team.id}`),
    reads: [["admin"], ["teams"]],
  });

  return (
    <FormDialog title="Create team" change={create} onClose={onClose}>
      <Field label="Name" name="name">
        <Input value={name} maxLength={longest.teamName} autoComplete="off" onValue={setName} />
      </Field>
      <Field
        label="Owner"
        hint="The email address of an account. The owner invites the others."
        name="ownerEmail"
      >
        <Input
          type="email"
          maxLength={longest.email}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={ownerEmail}
          onValue={setOwnerEmail}
        />
      </Field>
      <Field label="Plan" name="planId">
        <Select value={planId} onValue={setChosen} options={options} />
      </Field>
    </FormDialog>
  );
}
