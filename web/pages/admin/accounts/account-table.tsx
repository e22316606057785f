import { useQuery } from "@tanstack/react-query";
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
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Address } from "../../../components/text/address.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { LastUsed } from "../../../components/text/last-used.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { queries, useSite } from "../../../service/queries.ts";
import { formatCount } from "../../../units.ts";
import { mostAtOnce } from "../../../../src/core/bounds.js";
import { accountAddress } from "./account-address.ts";
import type { AccountTask } from "./account-dialog.tsx";
import type { Selection } from "./selection-bar.tsx";

interface AccountTableProps {
  rows: AccountView[] | undefined;
  error: Error | null;
  onRetry: () => unknown;
  onTask: (task: AccountTask) => void;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  empty: ReactNode;
}

export function AccountTable({ onTask, selection, onSelect, ...table }: AccountTableProps) {
  const [, navigate] = useLocation();
  const { data } = useQuery(queries.admin.plans);
  const planName = (id: string) => data?.plans.find((plan) => plan.id === id)?.name ?? id;
  const columns: Column<AccountView>[] = [
    {
      id: "email",
      header: "Email",
      cell: (account) => <Email account={account} selection={selection} onSelect={onSelect} />,
      className: "max-w-80",
    },
    { id: "plan", header: "Plan", cell: (account) => planName(account.planId) },
    { id: "keys", header: "Keys", align: "right", cell: (account) => formatCount(account.keys) },
    { id: "created", header: "Created", cell: (account) => <Time at={account.createdAt} style="date" /> },
    {
      id: "used",
      header: "Last used",
      cell: ({ lastUsedDay }) => <LastUsed day={lastUsedDay} />,
    },
    {
      id: "status",
      header: "Status",
      cell: (account) => <AccountStatus account={account} />,
    },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (account) => <AccountMenu account={account} onTask={onTask} />,
    },
  ];
  return (
    <Table
      label="Accounts"
      compact
      columns={columns}
      rowId={(account) => account.id}
      onOpen={(account) => navigate(accountAddress(account.id))}
      {...table}
    />
  );
}

interface EmailProps {
  account: AccountView;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

function Email({ account, selection, onSelect }: EmailProps) {
  const selected = selection.has(account.id);
  const toggle = () => {
    const next = new Map(selection);
    if (!next.delete(account.id)) next.set(account.id, account);
    onSelect(next);
  };
  return (
    <span className="flex min-w-0 items-center gap-3">
      <input
        type="checkbox"
        aria-label={`Select ${account.email}`}
        checked={selected}
        disabled={!selected && selection.size >= mostAtOnce}
        onChange={toggle}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link href={accountAddress(account.id)} className="rounded-sm hover:underline">
          <Address email={account.email} className="font-medium" />
        </Link>
        {account.role === "admin" && <Badge tone="accent">Admin</Badge>}
        <SignInNote account={account} />
      </span>
    </span>
  );
}

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
