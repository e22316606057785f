/**
 * Applies one change to every selected account after a confirmation, then lists those that could not be changed, and
 * why.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BulkResult } from "../../../../src/protocol/dashboard/accounts.js";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { ShownOnce } from "../../../components/overlays/shown-once.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Address } from "../../../components/text/address.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { adminApi } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";
import { plural } from "../../../units.ts";

export type BulkAction = "plan" | "suspend" | "resume";

interface BulkDialogProps {
  action: BulkAction;
  accounts: readonly AccountView[];
  onChanged: (changed: readonly AccountView[]) => void;
  onClose: () => void;
}

export function BulkDialog({ action, accounts, onChanged, onClose }: BulkDialogProps) {
  const client = useQueryClient();
  const { data: known } = useQuery(queries.admin.plans);
  const [chosen, setChosen] = useState("");
  const planId = chosen === "" ? (known?.plans[0]?.id ?? "") : chosen;
  // The selection when the dialog opened: changed accounts are deselected behind it.
  const [affected] = useState(accounts);
  const { title, verb, done, tone, consequence } = words[action];
  const run = useMutation({
    mutationFn: () => {
      const ids = affected.map(({ id }) => id);
      return adminApi.changeAccounts(action === "plan" ? { action, ids, planId } : { action, ids });
    },
    gcTime: 0,
    onSuccess: async ({ changed, refused }) => {
      onChanged(changed);
      if (changed.length > 0) toast(`${plural(changed.length, "account")} ${done}`);
      if (refused.length === 0) onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: ["admin"] }),
        // The reader’s own account may be among them.
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
      ]);
    },
  });
  if (run.data !== undefined && run.data.refused.length > 0) {
    return <Refused title={title} result={run.data} onClose={onClose} />;
  }
  const failure = formError(run.error, ["planId"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      role={action === "plan" ? "dialog" : "alertdialog"}
      dismissable={!run.isPending}
      title={title}
      description={
        <>
          <p>{consequence}</p>
          <Names accounts={affected} />
        </>
      }
      footer={
        <>
          <Button onClick={onClose} disabled={run.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="bulk" variant={tone} pending={run.isPending}>
            {verb} {plural(affected.length, "account")}
          </Button>
        </>
      }
    >
      <Form
        id="bulk"
        className="flex flex-col gap-4"
        error={run.error}
        onSubmit={() => {
          if (!run.isPending) run.mutate();
        }}
      >
        {action === "plan" && (
          <Field label="Plan" error={fieldError(run.error, "planId")}>
            <Select
              value={planId}
              onChange={(event) => setChosen(event.target.value)}
              options={known?.plans.map((plan) => ({ value: plan.id, label: plan.name })) ?? []}
            />
          </Field>
        )}
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
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
      open
      onOpenChange={onClose}
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
