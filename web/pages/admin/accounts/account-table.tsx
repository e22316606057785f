import {
  CirclePause,
  CirclePlay,
  Ellipsis,
  KeyRound,
  Layers,
  ShieldCheck,
  ShieldOff,
  ShieldX,
  Trash2,
} from "lucide-react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Badge } from "../../../components/states/badge.tsx";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { useSite } from "../../../service/queries.ts";
import type { AccountTask } from "./account-dialog.tsx";

/** What is unusual about how an account is signed in to. */
export function SignInNote({ account }: { account: AccountView }) {
  const { data: site } = useSite();
  if (!account.canSignIn) {
    return (
      <span title={noSignIn}>
        <Badge>
          Command line<span className="sr-only">: {noSignIn}</span>
        </Badge>
      </span>
    );
  }
  if (site?.canMail !== true || account.isEmailVerified) return null;
  return <Badge tone="warn">Unverified</Badge>;
}

export const noSignIn =
  "It has no password, so nobody can sign in to it. It was created at the first start or on the command line, where its keys are managed.";

export function AccountStatus({ account: { suspendedAt } }: { account: AccountView }) {
  return suspendedAt === null ? (
    <Badge tone="good" dot>
      Active
    </Badge>
  ) : (
    <Badge tone="bad">Suspended</Badge>
  );
}

export function AccountMenu({
  account,
  onTask,
}: {
  account: AccountView;
  onTask: (task: AccountTask) => void;
}) {
  const me = useMe();
  const suspended = account.suspendedAt !== null;
  const admin = account.role === "admin";
  const task = (type: AccountTask["type"]) => () => onTask({ type, account });
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${account.email}`} className="-mr-2">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={<Layers />} onSelect={task("plan")}>
        Change plan…
      </MenuItem>
      <MenuItem icon={<KeyRound />} onSelect={task("reset")}>
        Password reset link…
      </MenuItem>
      <MenuItem icon={<ShieldX />} onSelect={task("factors")}>
        Reset second factors…
      </MenuItem>
      <MenuItem icon={admin ? <ShieldOff /> : <ShieldCheck />} onSelect={task("role")}>
        {admin ? "Remove admin role…" : "Make admin…"}
      </MenuItem>
      <MenuSeparator />
      {suspended ? (
        <MenuItem icon={<CirclePlay />} onSelect={task("resume")}>
          Resume…
        </MenuItem>
      ) : (
        <MenuItem icon={<CirclePause />} tone="danger" onSelect={task("suspend")}>
          Suspend…
        </MenuItem>
      )}
      <MenuItem
        icon={<Trash2 />}
        tone="danger"
        disabled={me.account.id === account.id}
        onSelect={task("delete")}
      >
        Delete…
      </MenuItem>
    </Menu>
  );
}
