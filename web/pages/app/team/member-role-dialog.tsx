import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MemberView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Address } from "../../../components/text/address.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { teamApi } from "../../../service/teams.ts";
import { isRole, roleHints, rolesToGive } from "./team-roles.ts";

interface MemberRoleDialogProps {
  team: TeamPage;
  member: MemberView;
  onClose: () => void;
}

export function MemberRoleDialog({ team, member, onClose }: MemberRoleDialogProps) {
  const client = useQueryClient();
  const [role, setRole] = useState(member.role);
  const save = useMutation({
    mutationFn: () => teamApi.setRole(team.id, member.accountId, role),
    onSuccess: async () => {
      toast(`Role of ${member.email} changed`);
      onClose();
      await client.invalidateQueries({ queryKey: ["teams"] });
    },
  });
  const failure = formError(save.error, ["role"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      size="sm"
      title="Change role"
      description={<Address email={member.email} />}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            form="member-role"
            variant="primary"
            pending={save.isPending}
            disabled={role === member.role}
          >
            Change role
          </Button>
        </>
      }
    >
      <Form
        id="member-role"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <Field
          label="Role"
          hint={
            role === "viewer" && member.role !== "viewer"
              ? `${roleHints.viewer} Those of this member end.`
              : roleHints[role]
          }
          error={fieldError(save.error, "role")}
        >
          <Select
            value={role}
            onChange={({ target: { value } }) => isRole(value) && setRole(value)}
            options={rolesToGive(team.role)}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
