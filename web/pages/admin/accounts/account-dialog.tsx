/** An admin's actions on an account, each with a confirmation. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Field, Select } from "../../../components/controls/field.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { OneTimeLink } from "../../../components/overlays/one-time-link.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { api } from "../../../service/api.ts";
import { factorApi } from "../../../service/factors.ts";
import { queries } from "../../../service/queries.ts";
import { usePlans } from "../../../service/use-plans.ts";
import { formatCount, formatPerMinute, unbroken } from "../../../units.ts";

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

export function AccountDialog({ task: { type, account }, onClose, onDeleted }: AccountDialogProps) {
  if (type === "plan") return <PlanDialog account={account} onClose={onClose} />;
  if (type === "reset") return <ResetLinkDialog account={account} onClose={onClose} />;
  return (
    <ConfirmDialog
      {...questionsAbout(account, onDeleted)[type]}
      // It may be the reader’s own account.
      reads={[["admin"], queries.site.queryKey]}
      onClose={onClose}
    />
  );
}

type Question = Omit<ComponentProps<typeof ConfirmDialog>, "reads" | "onClose">;

function questionsAbout(
  { id, email, keys, role: before }: AccountView,
  onDeleted?: () => void,
): Record<Exclude<AccountTask["type"], "plan" | "reset">, Question> {
  const address = <Address email={email} className="font-medium text-ink" />;
  const role = before === "admin" ? "user" : "admin";
  const changeRole = role === "admin" ? "Make admin" : "Remove admin role";
  return {
    factors: {
      title: "Reset second factors",
      confirm: "Reset factors",
      onConfirm: () => factorApi.resetFactors(id),
      done: `Second factors of ${email} removed`,
      children: (
        <>
          The authenticator app, passkeys and recovery codes of {address} are removed, and it is signed out
          everywhere. Its password alone signs in then: make sure who asks.
        </>
      ),
    },
    suspend: {
      title: "Suspend account",
      confirm: "Suspend",
      onConfirm: () => api.admin.setAccount(id, "suspend"),
      done: `${email} is suspended`,
      children: (
        <>
          {address} is signed out, requests with its keys get 401, and its open streams end. Nothing is
          deleted; you can resume it at any time.
        </>
      ),
    },
    delete: {
      title: "Delete account",
      confirm: "Delete account",
      typeToConfirm: "delete",
      onConfirm: async () => {
        await api.admin.deleteAccount(id);
        toast(`${email} was deleted`);
        onDeleted?.();
      },
      children: (
        <>
          {address} is signed out, and its keys ({formatCount(keys)} working), usage and everything else about
          it are removed immediately. This cannot be undone; suspending it can.
        </>
      ),
    },
    resume: {
      title: "Resume account",
      confirm: "Resume",
      tone: "primary",
      onConfirm: () => api.admin.setAccount(id, "resume"),
      done: `${email} is active again`,
      children: <>{address} can sign in again and its keys work as before.</>,
    },
    role: {
      title: changeRole,
      confirm: changeRole,
      tone: "primary",
      onConfirm: () => api.admin.setRole(id, { role }),
      done: `${email} is now ${role}`,
      children:
        role === "admin" ? (
          <>{address} gets access to these pages and can suspend accounts, yours included.</>
        ) : (
          <>{address} loses access to these pages.</>
        ),
    },
  };
}

function ResetLinkDialog({ account, onClose }: { account: AccountView; onClose: () => void }) {
  const make = useChange(() => api.admin.resetLink(account.id));

  return (
    <FormDialog
      title="Password reset link"
      description={
        <>
          Whoever opens the link can set a new password for{" "}
          <Address email={account.email} className="font-medium text-ink" />. Send it over a channel you
          trust.
        </>
      }
      change={make}
      submit="Create link"
      result={make.data && <OneTimeLink label="Reset link" link={make.data} />}
      onClose={onClose}
    />
  );
}

function PlanDialog({ account, onClose }: { account: AccountView; onClose: () => void }) {
  const [planId, setPlanId] = useState(account.planId);
  const { plans, options } = usePlans();
  const { error } = useQuery(queries.admin.plans);
  const save = useChange(() => api.admin.setPlan(account.id, { planId }), {
    done: `Plan changed for ${account.email}`,
    onDone: onClose,
    // It may be the reader’s own account.
    reads: [["admin"], queries.site.queryKey],
  });
  const chosen = plans.find((plan) => plan.id === planId);

  return (
    <FormDialog
      size="sm"
      title="Change plan"
      description={<Address email={account.email} />}
      change={{ ...save, error: save.error ?? error }}
      disabled={planId === account.planId}
      onClose={onClose}
    >
      <Field
        label="Plan"
        name="planId"
        hint={
          chosen &&
          `${formatPerMinute(chosen)}, ${unbroken(`${formatCount(chosen.concurrentRequests)} concurrent`)}.`
        }
      >
        <Select value={planId} onValue={setPlanId} options={options} />
      </Field>
    </FormDialog>
  );
}
