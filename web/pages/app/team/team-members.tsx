import { Ellipsis, Gauge, UserMinus, UserRoundCog } from "lucide-react";
import { useState } from "react";
import { noKeyLimits } from "../../../../src/core/entities.js";
import type { MemberView, TeamPage } from "../../../../src/protocol/dashboard/teams.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Field, Select } from "../../../components/controls/field.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { Table, type Column, actionsColumn } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { useMe } from "../../../hooks/use-me.ts";
import { mayManage, teamApi, teamQueries } from "../../../service/teams.ts";
import { limitsText, KeyLimitsField, limitsToSend, typedLimits } from "../keys/key-limits-field.tsx";
import { roleName, isRole, roleHints, rolesToGive } from "./team-roles.ts";

type Task = { type: "role" | "limits" | "remove"; member: MemberView };

export function TeamMembers({ team }: { team: TeamPage }) {
  const { account } = useMe();
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  const columns: Column<MemberView>[] = [
    { header: "Member", cell: (member) => <Name member={member} me={account.id} /> },
    { header: "Role", cell: ({ role }) => roleName(role) },
    { header: "Joined", cell: ({ joinedAt }) => <Time at={joinedAt} style="date" /> },
    actionsColumn((member) =>
      mayManage(team.role) && (team.role === "owner" || member.role !== "owner") ? (
        <MemberMenu member={member} onTask={setTask} />
      ) : null,
    ),
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
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Remove member"
      onConfirm={() => teamApi.removeMember(team.id, member.accountId)}
      done={`${member.email} removed`}
      reads={[teamQueries.team(team.id).queryKey]}
    >
      <Address email={member.email} className="font-medium text-ink" /> leaves {team.name}. Their keys in this
      team stop working immediately; service keys stay.
    </ConfirmDialog>
  );
}

interface MemberLimitsDialogProps {
  team: TeamPage;
  member: MemberView;
  onClose: () => void;
}

/** What one member may use of the team's limits, with all of their keys together. */
function MemberLimitsDialog({ team, member, onClose }: MemberLimitsDialogProps) {
  const [limits, setLimits] = useState(typedLimits(member.limits));
  const save = useChange(
    () => teamApi.setLimits(team.id, member.accountId, { limits: limitsToSend(limits) ?? noKeyLimits }),
    { done: `Limits of ${member.email} changed`, onDone: onClose, reads: [["teams", team.id]] },
  );

  return (
    <FormDialog
      title="Change limits"
      description={
        <>
          What <Address email={member.email} className="text-ink" /> may use of the team’s limits, with all of
          their keys together.
        </>
      }
      change={save}
      submit="Save"
      onClose={onClose}
    >
      <KeyLimitsField
        label="Set lower limits than the team’s"
        hint="So that one member cannot use up what the others need."
        value={limits}
        onChange={setLimits}
        plan={team.plan}
      />
    </FormDialog>
  );
}

interface MemberRoleDialogProps {
  team: TeamPage;
  member: MemberView;
  onClose: () => void;
}

function MemberRoleDialog({ team, member, onClose }: MemberRoleDialogProps) {
  const [role, setRole] = useState(member.role);
  const save = useChange(() => teamApi.setRole(team.id, member.accountId, role), {
    done: `Role of ${member.email} changed`,
    onDone: onClose,
    reads: [["teams"]],
  });

  return (
    <FormDialog
      size="sm"
      title="Change role"
      description={<Address email={member.email} />}
      change={save}
      disabled={role === member.role}
      onClose={onClose}
    >
      <Field
        label="Role"
        name="role"
        hint={
          role === "viewer" && member.role !== "viewer"
            ? `${roleHints.viewer} Those of this member end.`
            : roleHints[role]
        }
      >
        <Select
          value={role}
          onValue={(value) => isRole(value) && setRole(value)}
          options={rolesToGive(team.role)}
        />
      </Field>
    </FormDialog>
  );
}
