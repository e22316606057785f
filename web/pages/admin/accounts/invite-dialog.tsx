import { useState } from "react";
import { inviteDays } from "../../../../src/core/bounds.js";
import { Field, Select } from "../../../components/controls/field.tsx";
import { InvitationDialog } from "../../../components/overlays/invitations.tsx";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { usePlans } from "../../../service/use-plans.ts";

interface InviteDialogProps {
  /** Filled in at first. */
  email?: string;
  onClose: () => void;
}

export function InviteDialog({ email = "", onClose }: InviteDialogProps) {
  const [planId, setPlanId] = useState("");
  const { options } = usePlans();

  return (
    <InvitationDialog
      title="Invite"
      description="A link that lets one person sign up."
      email={email}
      emailHint="If you enter one, the link works only for that address."
      faultOf={(typed) =>
        /^\S+@\S+$/.test(typed) ? undefined : "Enter an email address, or leave it empty."
      }
      days={[1, 3, inviteDays.usual, 14, 30, inviteDays.max]}
      invite={(invitation) => adminApi.invite({ ...invitation, ...(planId === "" ? {} : { planId }) })}
      reads={[adminQueries.invites.queryKey]}
      fields={(expiry) => (
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label="Plan" name="planId">
            <Select
              value={planId}
              onValue={setPlanId}
              options={[{ value: "", label: "Default plan" }, ...options]}
            />
          </Field>
          {expiry}
        </div>
      )}
      onClose={onClose}
    />
  );
}
