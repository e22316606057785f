import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api.ts";
import { Button } from "../../../components/button.tsx";
import { Callout } from "../../../components/callout.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field } from "../../../components/field.tsx";
import { Input } from "../../../components/input.tsx";
import { OneTimeLink } from "../../../components/one-time-link.tsx";
import { fieldError, formError } from "../../../form-errors.ts";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const invite = useMutation({
    mutationFn: () => api.admin.invite(email.trim() === "" ? {} : { email: email.trim() }),
    gcTime: 0,
  });
  const failure = formError(invite.error, ["email"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite"
      dismissable={invite.data === undefined}
      description="A link with which one person can sign up."
      footer={
        invite.data === undefined ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form="invite" variant="primary" pending={invite.isPending}>
              Make link
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
        <form
          id="invite"
          noValidate
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            invite.mutate();
          }}
        >
          <Field
            label="Email"
            aside="optional"
            hint="With an address, the link works for that address only."
            error={fieldError(invite.error, "email")}
          >
            <Input
              type="email"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </form>
      ) : (
        <OneTimeLink
          label={email.trim() === "" ? "Invitation" : `Invitation for ${email.trim()}`}
          link={invite.data}
        />
      )}
    </Dialog>
  );
}
