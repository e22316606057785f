import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/protocol/dashboard-bounds.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { OneTimeLink } from "../../../components/overlays/one-time-link.tsx";
import { fieldError, formError } from "../../../form-errors.ts";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [checked, setChecked] = useState(false);
  const email = typed.trim();
  const fault =
    email === "" || /^\S+@\S+$/.test(email) ? undefined : "Enter an email address, or leave it empty.";
  const invite = useMutation({
    mutationFn: () => api.admin.invite(email === "" ? {} : { email }),
    gcTime: 0,
  });
  const failure = formError(invite.error, ["email"]);
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
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <OneTimeLink label={email === "" ? "Invitation" : `Invitation for ${email}`} link={invite.data} />
      )}
    </Dialog>
  );
}
