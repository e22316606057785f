import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Gauge, UserMinus, UserRoundCog } from "lucide-react";
import { useState } from "react";
import type { MemberView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/address.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { mayManage, teamApi, teamQueries } from "../../../service/teams.ts";
import { limitsText } from "../keys/key-limits-field.tsx";
import { MemberLimitsDialog } from "./member-limits-dialog.tsx";
import { MemberRoleDialog } from "./member-role-dialog.tsx";
import { roleName } from "./team-roles.ts";

type Task = { type: "role" | "limits" | "remove"; member: MemberView };

export function TeamMembers({ team }: { team: TeamPage }) {
  const { account } = useMe();
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  const columns: Column<MemberView>[] = [
    { id: "email", header: "Member", cell: (member) => <Name member={member} me={account.id} /> },
    { id: "role", header: "Role", cell: ({ role }) => roleName(role) },
    { id: "joined", header: "Joined", cell: ({ joinedAt }) => <Time at={joinedAt} style="date" /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (member) =>
        mayManage(team.role) && (team.role === "owner" || member.role !== "owner") ? (
          <MemberMenu member={member} onTask={setTask} />
        ) : null,
    },
  ];
  return (
    <Card title="Members" flush>
      <Table
        label="Members"
        columns={columns}
        rows={team.members}
        rowId={(member) => member.accountId}
        empty={<EmptyState title="No members" />}
      />
      {task?.type === "role" && <MemberRoleDialog team={team} member={task.member} onClose={close} />}
      {task?.type === "limits" && <MemberLimitsDialog team={team} member={task.member} onClose={close} />}
      {task?.type === "remove" && <RemoveDialog team={team} member={task.member} onClose={close} />}
    </Card>
  );
}

function Name({ member, me }: { member: MemberView; me: string }) {
  const limits = limitsText(member.limits);
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-2">
        <Address email={member.email} className="font-medium" />
        {member.accountId === me && <Badge>You</Badge>}
        {member.isSuspended && <Badge tone="bad">Suspended</Badge>}
      </span>
      {limits !== null && <span className="block text-sm text-muted">At most {limits}</span>}
    </span>
  );
}

function MemberMenu({ member, onTask }: { member: MemberView; onTask: (task: Task) => void }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${member.email}`} className="-mr-2">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={<UserRoundCog />} onSelect={() => onTask({ type: "role", member })}>
        Change role…
      </MenuItem>
      <MenuItem icon={<Gauge />} onSelect={() => onTask({ type: "limits", member })}>
        Change limits…
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<UserMinus />} tone="danger" onSelect={() => onTask({ type: "remove", member })}>
        Remove…
      </MenuItem>
    </Menu>
  );
}

function RemoveDialog({
  team,
  member,
  onClose,
}: {
  team: TeamPage;
  member: MemberView;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Remove member"
      confirm="Remove member"
      onConfirm={async () => {
        await teamApi.removeMember(team.id, member.accountId);
        toast(`${member.email} removed`);
        await client.invalidateQueries({ queryKey: teamQueries.team(team.id).queryKey });
      }}
    >
      <Address email={member.email} className="font-medium text-ink" /> leaves {team.name}. Their keys in this
      team stop working immediately; service keys stay.
    </ConfirmDialog>
  );
}
