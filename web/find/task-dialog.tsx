/** The dialog of what was chosen in the palette: the one that its page opens. */
import { useMe } from "../hooks/use-me.ts";
import { useSpace } from "../hooks/use-space.ts";
import { AccountDialog } from "../pages/admin/accounts/account-dialog.tsx";
import { InviteDialog } from "../pages/admin/accounts/invite-dialog.tsx";
import { MaintenanceEditor } from "../pages/admin/maintenance/maintenance-editor.tsx";
import { ChangeDialog } from "../pages/admin/models/change-dialog.tsx";
import { CreateKeyDialog } from "../pages/app/keys/create-key-dialog.tsx";
import { EditKeyDialog } from "../pages/app/keys/edit-key-dialog.tsx";
import { RevokeKeyDialog } from "../pages/app/keys/revoke-key-dialog.tsx";
import { RotateKeyDialog } from "../pages/app/keys/rotate-key-dialog.tsx";
import { api } from "../service/api.ts";
import { mayManage, useTeam } from "../service/teams.ts";
import type { Task } from "./actions.tsx";

export default function TaskDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const { account, plan: ownPlan } = useMe();
  const { id: space } = useSpace();
  const { data: team } = useTeam(space);
  const plan = space === null ? ownPlan : team?.plan;
  switch (task.type) {
    case "create-key":
      return plan === undefined ? null : (
        <CreateKeyDialog
          plan={plan}
          canBeService={mayManage(team?.role)}
          canHaveScopes={space === null && account.role === "admin"}
          onClose={onClose}
        />
      );
    case "edit-key":
      return plan === undefined ? null : <EditKeyDialog apiKey={task.key} plan={plan} onClose={onClose} />;
    case "rotate-key":
      return <RotateKeyDialog apiKey={task.key} onClose={onClose} />;
    case "revoke-key": {
      const { key } = task;
      const revoke = () => api.setKey(key.id, "revoke", space);
      return <RevokeKeyDialog apiKey={key} onClose={onClose} revoke={revoke} />;
    }
    case "account":
      return <AccountDialog task={task.task} onClose={onClose} />;
    case "invite":
      return <InviteDialog email={task.email} onClose={onClose} />;
    case "change-model":
      return <ChangeDialog model={task.model} onClose={onClose} />;
    case "schedule-maintenance":
      return <MaintenanceEditor window={null} onClose={onClose} />;
  }
}
