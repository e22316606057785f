import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { longest } from "../../../../src/core/bounds.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { teamApi } from "../../../service/teams.ts";

export function CreateTeamDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [ownerEmail, setOwnerEmail] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const { data } = useQuery(queries.admin.plans);
  const planId = chosen ?? data?.plans[0]?.id ?? "";
  const create = useMutation({
    mutationFn: () => teamApi.admin.create({ name, planId, ownerEmail: ownerEmail.trim() }),
    onSuccess: async ({ team }) => {
      toast(`${team.name} created`);
      navigate(`/admin/teams/${team.id}`);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["admin"] }),
        client.invalidateQueries({ queryKey: ["teams"] }),
      ]);
    },
  });
  const failure = formError(create.error, ["name", "planId", "ownerEmail"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!create.isPending}
      title="Create team"
      footer={
        <>
          <Button onClick={onClose} disabled={create.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="create-team" variant="primary" pending={create.isPending}>
            Create team
          </Button>
        </>
      }
    >
      <Form
        id="create-team"
        className="flex flex-col gap-5"
        error={create.error}
        onSubmit={() => {
          create.mutate();
        }}
      >
        <Field label="Name" error={fieldError(create.error, "name")}>
          <Input
            value={name}
            maxLength={longest.teamName}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field
          label="Owner"
          hint="The email address of an account. The owner invites the others."
          error={fieldError(create.error, "ownerEmail")}
        >
          <Input
            type="email"
            maxLength={longest.email}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={ownerEmail}
            onChange={(event) => setOwnerEmail(event.target.value)}
          />
        </Field>
        <Field label="Plan" error={fieldError(create.error, "planId")}>
          <Select
            value={planId}
            onChange={(event) => setChosen(event.target.value)}
            options={data?.plans.map((plan) => ({ value: plan.id, label: plan.name })) ?? []}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
