/** The dialog of what was chosen in the palette: the one that its page opens. */
import { useMe } from "../hooks/use-me.ts";
import { AccountDialog } from "../pages/admin/accounts/account-dialog.tsx";
import { InviteDialog } from "../pages/admin/accounts/invite-dialog.tsx";
import { MaintenanceEditor } from "../pages/admin/maintenance/maintenance-editor.tsx";
import { ChangeDialog } from "../pages/admin/models/change-dialog.tsx";
import { CreateKeyDialog } from "../pages/app/keys/create-key-dialog.tsx";
import { EditKeyDialog } from "../pages/app/keys/edit-key-dialog.tsx";
import { RevokeKeyDialog } from "../pages/app/keys/revoke-key-dialog.tsx";
import { RotateKeyDialog } from "../pages/app/keys/rotate-key-dialog.tsx";
import type { Task } from "./actions.tsx";

export default function TaskDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const { plan } = useMe();
  switch (task.type) {
    case "create-key":
      return <CreateKeyDialog plan={plan} onClose={onClose} />;
    case "edit-key":
      return <EditKeyDialog apiKey={task.key} plan={plan} onClose={onClose} />;
    case "rotate-key":
      return <RotateKeyDialog apiKey={task.key} onClose={onClose} />;
    case "revoke-key":
      return <RevokeKeyDialog apiKey={task.key} onClose={onClose} />;
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
