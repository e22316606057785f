/** A team: who is in it, who is invited, what it is called, and how to leave or delete it. */
import { useQuery } from "@tanstack/react-query";
import { MailPlus } from "lucide-react";
import { useState } from "react";
import { useParams } from "wouter";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
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
  const { data: team, error, refetch } = useQuery(teamQueries.team(id));
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
      {team === undefined ? (
        <Card>
          {error === null ? (
            <SkeletonLines lines={6} />
          ) : (
            <ErrorState error={error} onRetry={refetch} what="the team" />
          )}
        </Card>
      ) : (
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
      {inviting && team && <TeamInviteDialog team={team} onClose={() => setInviting(false)} />}
    </>
  );
}
