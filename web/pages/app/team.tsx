/** A team: who is in it, who is invited, what it is called, and how to leave or delete it. */
import { useQuery } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import { useParams } from "wouter";
import { longest } from "../../../src/core/bounds.js";
import type { TeamPage, TeamInviteView } from "../../../src/protocol/dashboard/teams.js";
import { Button } from "../../components/controls/button.tsx";
import { Field, Input, verbatim } from "../../components/controls/field.tsx";
import { Form, FormEnd } from "../../components/controls/form.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { InvitationTable } from "../../components/overlays/invitations.tsx";
import type { Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { mayManage, teamApi, teamQueries } from "../../service/teams.ts";
import { TeamEnd } from "./team/team-end.tsx";
import { TeamInviteDialog } from "./team/team-invite-dialog.tsx";
import { TeamMembers } from "./team/team-members.tsx";
import { roleSentence, roleName } from "./team/team-roles.ts";
import { TeamSecurity } from "./team/team-security.tsx";

export default function TeamOverview() {
  const { team: id } = useParams<{ team: string }>();
  const read = useQuery(teamQueries.team(id));
  const { data: team } = read;
  const [inviting, setInviting] = useState(false);
  const manages = mayManage(team?.role);
  return (
    <>
      <PageHeader
        title={team?.name ?? "Team"}
        description={team && roleSentence(team.role)}
        actions={
          manages && (
            <Button variant="primary" icon={<MailPlus />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      />
      <Loaded query={read} what="the team" lines={6} card>
        {(team) => (
          <div className="flex flex-col gap-6">
            <TeamMembers team={team} />
            {manages && <TeamInvites team={team} onInvite={() => setInviting(true)} />}
            {manages && <TeamSettings team={team} />}
            {team.role === "owner" && (
              <TeamSecurity
                security={team.security}
                save={(security) => teamApi.secure(team.id, security)}
                queryKey={["teams"]}
              />
            )}
            <TeamEnd team={team} />
          </div>
        )}
      </Loaded>
      {inviting && team && <TeamInviteDialog team={team} onClose={() => setInviting(false)} />}
    </>
  );
}

function TeamSettings({ team }: { team: TeamPage }) {
  const [name, setName] = useState(team.name);
  const [domain, setDomain] = useState(team.joinDomain ?? "");
  const save = useChange(
    () => teamApi.save(team.id, { name, joinDomain: domain.trim() === "" ? null : domain }),
    { done: "Team saved", reads: [["teams"]] },
  );
  return (
    <Card title="Settings">
      <Form className="flex max-w-lg flex-col gap-5" error={save.error} onSubmit={() => save.mutate()}>
        <Field label="Name" name="name">
          <Input value={name} maxLength={longest.teamName} autoComplete="off" onValue={setName} />
        </Field>
        <Field
          label="Open to a domain"
          aside="optional"
          hint="Everyone whose verified address ends in it may join as a member."
          name="joinDomain"
        >
          <Input value={domain} placeholder="example.com" {...verbatim} onValue={setDomain} />
        </Field>
        <FormEnd change={save}>Save</FormEnd>
      </Form>
    </Card>
  );
}

function TeamInvites({ team, onInvite }: { team: TeamPage; onInvite: () => void }) {
  return (
    <Card title="Invitations" flush>
      <InvitationTable
        query={useQuery(teamQueries.invites(team.id))}
        columns={columns}
        nameOf={({ email }) => email ?? "anyone"}
        ends="used, declined, revoked or expired"
        revoke={({ id }) => teamApi.revokeInvite(team.id, id)}
        reads={[teamQueries.invites(team.id).queryKey]}
        onInvite={onInvite}
      />
    </Card>
  );
}

const columns: readonly Column<TeamInviteView>[] = [
  {
    header: "For",
    cell: ({ email }) =>
      email === null ? <span className="text-muted">Anyone</span> : <Address email={email} />,
  },
  { header: "Role", cell: ({ role }) => roleName(role) },
  { header: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];
