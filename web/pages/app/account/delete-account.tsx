import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/address.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { formError } from "../../../form-errors.ts";
import { useDeparture } from "../../../hooks/use-departure.ts";
import { useMe } from "../../../hooks/use-me.ts";
import { erasePresets } from "../playground/saved/erase-presets.ts";

export function DeleteAccount({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Card
      title="Delete account"
      description={
        <>
          Your keys stop working immediately, and your account, keys, sessions, links and usage are removed.
          This cannot be undone.{" "}
          <Link href="/docs/privacy#deleting" className="text-accent underline underline-offset-3">
            What is left, and for how long
          </Link>
        </>
      }
    >
      <Button onClick={() => setOpen(true)}>Delete account…</Button>
      {open && <DeleteDialog email={email} onClose={() => setOpen(false)} />}
    </Card>
  );
}

const word = "delete";

function DeleteDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const depart = useDeparture();
  const { account } = useMe();
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: api.deleteAccount,
    onSuccess: () => {
      depart("/");
      erasePresets(account.id);
      toast("Your account was deleted.");
    },
    gcTime: 0,
  });
  const failure = formError(remove.error, []);
  return (
    <Dialog
      open
      role="alertdialog"
      onOpenChange={onClose}
      dismissable={!remove.isPending}
      title="Delete account"
      description={
        <>
          This permanently deletes <Address email={email} className="font-medium text-ink" />, its keys and
          its usage.
        </>
      }
      footer={
        <>
          <Button onClick={onClose} disabled={remove.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            form="delete-account"
            variant="danger"
            pending={remove.isPending}
            disabled={typed.trim().toLowerCase() !== word}
          >
            Delete account
          </Button>
        </>
      }
    >
      <Form
        id="delete-account"
        className="flex flex-col gap-5"
        error={remove.error}
        onSubmit={() => {
          remove.mutate();
        }}
      >
        <Field
          label={
            <>
              Type <code className="font-mono">{word}</code> to confirm
            </>
          }
        >
          <Input
            autoComplete="off"
            autoCapitalize="none"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
