import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { inviteDays, longest } from "../../../../src/core/bounds.js";
import type { TeamRole } from "../../../../src/core/entities.js";
import type { TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { OneTimeLink } from "../../../components/overlays/one-time-link.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { teamApi, teamQueries } from "../../../service/teams.ts";
import { isRole, roleHints, rolesToGive } from "./team-roles.ts";

const expiries = [1, inviteDays.usual, 30, inviteDays.max].map((days) => ({
  value: String(days),
  label: days === 1 ? "In a day" : `In ${days} days`,
}));

export function TeamInviteDialog({ team, onClose }: { team: TeamPage; onClose: () => void }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const [role, setRole] = useState<TeamRole>("member");
  const [days, setDays] = useState(String(inviteDays.usual));
  const email = typed.trim();
  const invite = useMutation({
    mutationFn: () =>
      teamApi.invite(team.id, { ...(email === "" ? {} : { email }), role, expiresInDays: Number(days) }),
    onSuccess: () => client.invalidateQueries({ queryKey: teamQueries.invites(team.id).queryKey }),
    gcTime: 0,
  });
  const failure = formError(invite.error, ["email", "role", "expiresInDays"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Invite to ${team.name}`}
      dismissable={invite.data === undefined && !invite.isPending}
      description="A link that lets one person who has an account join the team."
      footer={
        invite.data === undefined ? (
          <>
            <Button onClick={onClose} disabled={invite.isPending}>
              Cancel
            </Button>
            <Button type="submit" form="team-invite" variant="primary" pending={invite.isPending}>
              Create link
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {invite.data === undefined ? (
        <Form
          id="team-invite"
          className="flex flex-col gap-5"
          error={invite.error}
          onSubmit={() => {
            invite.mutate();
          }}
        >
          <Field
            label="Email"
            aside="optional"
            hint="If you enter one, the link works only for the account with that address."
            error={fieldError(invite.error, "email")}
          >
            <Input
              type="email"
              maxLength={longest.email}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
          <Field label="Role" hint={roleHints[role]} error={fieldError(invite.error, "role")}>
            <Select
              value={role}
              onChange={({ target: { value } }) => isRole(value) && setRole(value)}
              options={rolesToGive(team.role)}
            />
          </Field>
          <Field label="Expires" error={fieldError(invite.error, "expiresInDays")}>
            <Select value={days} onChange={(event) => setDays(event.target.value)} options={expiries} />
          </Field>
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <OneTimeLink label={email === "" ? "Invitation" : `Invitation for ${email}`} link={invite.data} />
      )}
    </Dialog>
  );
}
