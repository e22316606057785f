/** A team: who is in it, who is invited, what it is called, and how to leave or delete it. */
import { useQuery } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import { useParams } from "wouter";
import { Button } from "../../components/controls/button.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { mayManage, teamApi, teamQueries } from "../../service/teams.ts";
import { TeamEnd } from "./team/team-end.tsx";
import { TeamInviteDialog } from "./team/team-invite-dialog.tsx";
import { TeamInvites } from "./team/team-invites.tsx";
import { TeamMembers } from "./team/team-members.tsx";
import { TeamSecurity } from "./team/team-security.tsx";
import { TeamSettings } from "./team/team-settings.tsx";
import { roleSentence } from "./team/team-roles.ts";

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
