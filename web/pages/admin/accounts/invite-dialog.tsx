import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { inviteDays, longest } from "../../../../src/core/bounds.js";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { OneTimeLink } from "../../../components/overlays/one-time-link.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";

const expiries = [1, 3, inviteDays.usual, 14, 30, inviteDays.max].map((days) => ({
  value: String(days),
  label: days === 1 ? "In a day" : `In ${days} days`,
}));

interface InviteDialogProps {
  /** Filled in at first. */
  email?: string;
  onClose: () => void;
}

export function InviteDialog({ email: known = "", onClose }: InviteDialogProps) {
  const [typed, setTyped] = useState(known);
  const [checked, setChecked] = useState(false);
  const [planId, setPlanId] = useState("");
  const [days, setDays] = useState(String(inviteDays.usual));
  const client = useQueryClient();
  const { data: plans } = useQuery(queries.admin.plans);
  const email = typed.trim();
  const fault =
    email === "" || /^\S+@\S+$/.test(email) ? undefined : "Enter an email address, or leave it empty.";
  const invite = useMutation({
    mutationFn: () =>
      adminApi.invite({
        ...(email === "" ? {} : { email }),
        ...(planId === "" ? {} : { planId }),
        expiresInDays: Number(days),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: adminQueries.invites.queryKey }),
    gcTime: 0,
  });
  const failure = formError(invite.error, ["email", "planId", "expiresInDays"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite"
      dismissable={invite.data === undefined && !invite.isPending}
      description="A link that lets one person sign up."
      footer={
        invite.data === undefined ? (
          <>
            <Button onClick={onClose} disabled={invite.isPending}>
              Cancel
            </Button>
            <Button type="submit" form="invite" variant="primary" pending={invite.isPending}>
              Create link
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {invite.data === undefined ? (
        <Form
          id="invite"
          className="flex flex-col gap-5"
          error={invite.error}
          onSubmit={() => {
            setChecked(true);
            if (fault === undefined) invite.mutate();
          }}
        >
          <Field
            label="Email"
            aside="optional"
            hint="If you enter one, the link works only for that address."
            error={(checked ? fault : undefined) ?? fieldError(invite.error, "email")}
          >
            <Input
              type="email"
              maxLength={longest.email}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
          <div className="grid gap-5 sm:grid-cols-2">
            <Field label="Plan" error={fieldError(invite.error, "planId")}>
              <Select
                value={planId}
                onChange={(event) => setPlanId(event.target.value)}
                options={[
                  { value: "", label: "Default plan" },
                  ...(plans?.plans.map((plan) => ({ value: plan.id, label: plan.name })) ?? []),
                ]}
              />
            </Field>
            <Field label="Expires" error={fieldError(invite.error, "expiresInDays")}>
              <Select value={days} onChange={(event) => setDays(event.target.value)} options={expiries} />
            </Field>
          </div>
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <OneTimeLink label={email === "" ? "Invitation" : `Invitation for ${email}`} link={invite.data} />
      )}
    </Dialog>
  );
}
