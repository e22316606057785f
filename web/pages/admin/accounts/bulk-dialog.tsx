/**
 * Applies one change to every selected account after a confirmation, then lists those that could not be changed, and
 * why.
 */
import { useState } from "react";
import type { BulkResult } from "../../../../src/protocol/dashboard/accounts.js";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Select } from "../../../components/controls/field.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { ShownOnce } from "../../../components/overlays/one-time-link.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Address } from "../../../components/text/breakable.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { adminApi } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";
import { usePlans } from "../../../service/use-plans.ts";
import { plural } from "../../../units.ts";

export type BulkAction = "plan" | "suspend" | "resume";

interface BulkDialogProps {
  action: BulkAction;
  accounts: readonly AccountView[];
  onChanged: (changed: readonly AccountView[]) => void;
  onClose: () => void;
}

export function BulkDialog({ action, accounts, onChanged, onClose }: BulkDialogProps) {
  const { options } = usePlans();
  const [chosen, setChosen] = useState("");
  const planId = chosen === "" ? (options[0]?.value ?? "") : chosen;
  // The selection when the dialog opened: changed accounts are deselected behind it.
  const [affected] = useState(accounts);
  const { title, verb, done, tone, consequence } = words[action];

  const run = useChange(
    () => {
      const ids = affected.map(({ id }) => id);
      return adminApi.changeAccounts(action === "plan" ? { action, ids, planId } : { action, ids });
    },
    {
      onDone: ({ changed, refused }) => {
        onChanged(changed);
        if (changed.length > 0) toast(`${plural(changed.length, "account")} ${done}`);
        if (refused.length === 0) onClose();
      },
      // The reader’s own account may be among them.
      reads: [["admin"], queries.site.queryKey],
    },
  );
  if (run.data !== undefined && run.data.refused.length > 0) {
    return <Refused title={title} result={run.data} onClose={onClose} />;
  }

  return (
    <FormDialog
      size="sm"
      role={action === "plan" ? "dialog" : "alertdialog"}
      title={title}
      description={
        <>
          <p>{consequence}</p>
          <Names accounts={affected} />
        </>
      }
      className="flex flex-col gap-4"
      change={run}
      submit={`${verb} ${plural(affected.length, "account")}`}
      tone={tone}
      onClose={onClose}
    >
      {action === "plan" && (
        <Field label="Plan" name="planId">
          <Select value={planId} onValue={setChosen} options={options} />
        </Field>
      )}
    </FormDialog>
  );
}

/** Names the first few, so that mistakes are noticed. */
function Names({ accounts }: { accounts: readonly AccountView[] }) {
  const named = accounts.slice(0, 5);
  const others = accounts.length - named.length;
  return (
    <ul className="mt-2 text-sm text-ink">
      {named.map(({ id, email }) => (
        <li key={id}>
          <Address email={email} />
        </li>
      ))}
      {others > 0 && <li className="text-muted">and {plural(others, "other")}</li>}
    </ul>
  );
}

function Refused({ title, result, onClose }: { title: string; result: BulkResult; onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      size="sm"
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ShownOnce>
        <p>
          {plural(result.changed.length, "account")} changed. {plural(result.refused.length, "account")} could
          not be changed:
        </p>
        <ul className="flex flex-col gap-2 text-sm">
          {result.refused.map(({ id, email, message }) => (
            <li key={id}>
              <Address email={email ?? id} className="font-medium" />
              <span className="block text-muted">{message}</span>
            </li>
          ))}
        </ul>
      </ShownOnce>
    </Dialog>
  );
}

const words = {
  plan: {
    title: "Change plan",
    verb: "Change plan of",
    done: "moved to another plan",
    tone: "primary",
    consequence: "The limits of the new plan apply from the next request on.",
  },
  suspend: {
    title: "Suspend accounts",
    verb: "Suspend",
    done: "suspended",
    tone: "danger",
    consequence:
      "Their owners are signed out, requests with their keys get 401, and their open streams end. Nothing is deleted.",
  },
  resume: {
    title: "Resume accounts",
    verb: "Resume",
    done: "active again",
    tone: "primary",
    consequence: "Their owners can sign in again and their keys work as before.",
  },
} as const;
