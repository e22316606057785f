/** One team, for admins: its plan and quotas, who is in it, suspension and deletion. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { AdminTeamDetail, MemberView } from "../../../src/protocol/dashboard/teams.js";
import { Button } from "../../components/controls/button.tsx";
import { MonthCard } from "../../components/figures/month-use.tsx";
import { Stat, StatRow } from "../../components/figures/stat.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { UnlessFailed } from "../../components/states/loaded.tsx";
import { BackLink } from "../../components/text/back-link.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { teamApi, teamQueries } from "../../service/teams.ts";
import { formatCount, formatPerMinute, plural } from "../../units.ts";
import { TeamSecurity } from "../app/team/team-security.tsx";
import { roleName } from "../app/team/team-roles.ts";
import { accountAddress } from "./accounts/account-address.ts";
import { TeamPlan } from "./team-plan.tsx";

export default function AdminTeamPage() {
  const { id } = useParams<{ id: string }>();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState<"suspend" | "delete" | null>(null);
  const close = () => setAsking(null);
  const read = useQuery(teamQueries.admin.team(id));
  const { data } = read;
  const month = useQuery(teamQueries.admin.month(id));
  const isSuspended = data?.team.suspendedAt != null;
  const resume = useChange(() => teamApi.admin.set(id, "resume"), {
    done: "Team resumed",
    reads: [["admin"]],
    toastsErrors: true,
  });
  return (
    <>
      <BackLink href="/admin/teams">Teams</BackLink>
      <PageHeader
        title={data?.team.name ?? "Team"}
        description={
          data && (
            <>
              Since <Time at={data.team.createdAt} style="date" />,{" "}
              <code className="font-mono text-sm wrap-anywhere">{id}</code>
            </>
          )
        }
        actions={
          data && (
            <>
              {isSuspended && <Badge tone="bad">Suspended</Badge>}
              <Button
                pending={resume.isPending}
                onClick={() => (isSuspended ? resume.mutate() : setAsking("suspend"))}
              >
                {isSuspended ? "Resume" : "Suspend…"}
              </Button>
              <Button onClick={() => setAsking("delete")}>Delete…</Button>
            </>
          )
        }
      />
      <UnlessFailed query={read} what="the team">
        <div className="flex flex-col gap-6">
          <Figures detail={data} />
          <MonthCard month={month} />
          {data !== undefined && (
            <>
              <TeamPlan key={JSON.stringify(data.quotas)} detail={data} />
              <TeamSecurity
                security={data.security}
                save={(security) => teamApi.admin.secure(id, security)}
                queryKey={["admin", "team"]}
              />
              <Card title="Members" flush>
                <Table
                  label="Members"
                  columns={columns}
                  rows={data.people}
                  rowId={(member) => member.accountId}
                  empty={<EmptyState title="No members" />}
                />
              </Card>
            </>
          )}
        </div>
      </UnlessFailed>
      {asking === "suspend" && data !== undefined && (
        <ConfirmDialog
          onClose={close}
          title="Suspend team"
          confirm="Suspend"
          onConfirm={() => teamApi.admin.set(id, "suspend")}
          done="Team suspended"
          reads={[["admin"]]}
        >
          The keys of <strong className="font-medium wrap-anywhere text-ink">{data.team.name}</strong> stop
          working and its running replies end. Nothing is deleted; its members keep their own accounts.
        </ConfirmDialog>
      )}
      {asking === "delete" && data !== undefined && (
        <ConfirmDialog
          onClose={close}
          title="Delete team"
          typeToConfirm={data.team.name}
          onConfirm={async () => {
            await teamApi.admin.remove(id);
            navigate("/admin/teams");
            toast(`${data.team.name} was deleted.`);
          }}
          reads={[["admin", "teams"]]}
        >
          This deletes {plural(data.team.members, "membership")}, {plural(data.team.keys, "working key")},{" "}
          {plural(data.invitations, "invitation")} and the team’s usage. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}

const columns: readonly Column<MemberView>[] = [
  {
    header: "Member",
    cell: ({ accountId, email }) => (
      <Link href={accountAddress(accountId)} className="rounded-sm font-medium text-accent hover:underline">
        <Address email={email} />
      </Link>
    ),
  },
  { header: "Role", cell: ({ role }) => roleName(role) },
  { header: "Joined", cell: ({ joinedAt }) => <Time at={joinedAt} style="date" /> },
];

function Figures({ detail }: { detail: AdminTeamDetail | undefined }) {
  const plan = detail?.plan;
  return (
    <StatRow>
      <Stat
        label="Plan"
        value={plan && <span className="text-lg wrap-anywhere">{plan.name}</span>}
        hint={plan && formatPerMinute(plan)}
      />
      <Stat label="Members" value={detail && formatCount(detail.team.members)} />
      <Stat
        label="Working keys"
        value={detail && formatCount(detail.team.keys)}
        hint={plan && `of ${formatCount(plan.maxKeys)}`}
      />
      <Stat label="Pending invitations" value={detail && formatCount(detail.invitations)} />
    </StatRow>
  );
}
