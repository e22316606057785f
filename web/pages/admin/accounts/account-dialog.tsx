/** An admin's actions on an account, each with a confirmation. */
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/address.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { factorApi } from "../../../service/factors.ts";
import { queries } from "../../../service/queries.ts";
import { formatCount } from "../../../units.ts";
import { PlanDialog } from "./plan-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";

export interface AccountTask {
  type: "suspend" | "resume" | "role" | "plan" | "reset" | "factors" | "delete";
  account: AccountView;
}

interface AccountDialogProps {
  task: AccountTask;
  onClose: () => void;
  /** Called when the account no longer exists. */
  onDeleted?: () => void;
}

export function AccountDialog({ task, onClose, onDeleted }: AccountDialogProps) {
  const client = useQueryClient();
  const { account } = task;
  const email = <Address email={account.email} className="font-medium text-ink" />;
  const change = async (request: Promise<AccountView>, done: string) => {
    await request;
    toast(done);
    await Promise.all([
      client.invalidateQueries({ queryKey: ["admin"] }),
      // It may be the reader’s own account.
      client.invalidateQueries({ queryKey: queries.site.queryKey }),
    ]);
  };
  switch (task.type) {
    case "plan":
      return <PlanDialog account={account} onClose={onClose} />;
    case "reset":
      return <ResetLinkDialog account={account} onClose={onClose} />;
    case "factors":
      return (
        <Question
          title="Reset second factors"
          confirm="Reset factors"
          tone="danger"
          onClose={onClose}
          onConfirm={async () => {
            await factorApi.resetFactors(account.id);
            toast(`Second factors of ${account.email} removed`);
            await client.invalidateQueries({ queryKey: ["admin"] });
          }}
        >
          The authenticator app, passkeys and recovery codes of {email} are removed, and it is signed out
          everywhere. Its password alone signs in then: make sure who asks.
        </Question>
      );
    case "suspend":
      return (
        <Question
          title="Suspend account"
          confirm="Suspend"
          tone="danger"
          onClose={onClose}
          onConfirm={() =>
            change(api.admin.setAccount(account.id, "suspend"), `${account.email} is suspended`)
          }
        >
          {email} is signed out, requests with its keys get 401, and its open streams end. Nothing is deleted;
          you can resume it at any time.
        </Question>
      );
    case "delete":
      return (
        <Question
          title="Delete account"
          confirm="Delete account"
          tone="danger"
          typeToConfirm="delete"
          onClose={onClose}
          onConfirm={async () => {
            await api.admin.deleteAccount(account.id);
            toast(`${account.email} was deleted`);
            onDeleted?.();
            await client.invalidateQueries({ queryKey: ["admin"] });
          }}
        >
          {email} is signed out, and its keys ({formatCount(account.keys)} working), usage and everything else
          about it are removed immediately. This cannot be undone; suspending it can.
        </Question>
      );
    case "resume":
      return (
        <Question
          title="Resume account"
          confirm="Resume"
          tone="primary"
          onClose={onClose}
          onConfirm={() =>
            change(api.admin.setAccount(account.id, "resume"), `${account.email} is active again`)
          }
        >
          {email} can sign in again and its keys work as before.
        </Question>
      );
    case "role": {
      const role = account.role === "admin" ? "user" : "admin";
      return (
        <Question
          title={role === "admin" ? "Make admin" : "Remove admin role"}
          confirm={role === "admin" ? "Make admin" : "Remove admin role"}
          tone="primary"
          onClose={onClose}
          onConfirm={() => change(api.admin.setRole(account.id, { role }), `${account.email} is now ${role}`)}
        >
          {role === "admin" ? (
            <>{email} gets access to these pages and can suspend accounts, yours included.</>
          ) : (
            <>{email} loses access to these pages.</>
          )}
        </Question>
      );
    }
  }
}

interface QuestionProps {
  title: string;
  confirm: string;
  tone: "danger" | "primary";
  typeToConfirm?: string;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
}

function Question({ onClose, ...rest }: QuestionProps) {
  return <ConfirmDialog open onOpenChange={onClose} {...rest} />;
}
