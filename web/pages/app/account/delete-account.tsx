import { useState } from "react";
import { Link } from "wouter";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/breakable.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { useDeparture } from "../../../hooks/use-sign-out.ts";
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
  const remove = useChange(() => api.deleteAccount(), {
    onDone: () => {
      depart("/");
      erasePresets(account.id);
      toast("Your account was deleted.");
    },
  });
  return (
    <FormDialog
      role="alertdialog"
      title="Delete account"
      description={
        <>
          This permanently deletes <Address email={email} className="font-medium text-ink" />, its keys and
          its usage.
        </>
      }
      change={remove}
      tone="danger"
      disabled={typed.trim().toLowerCase() !== word}
      onClose={onClose}
    >
      <Field
        label={
          <>
            Type <code className="font-mono">{word}</code> to confirm
          </>
        }
      >
        <Input autoComplete="off" autoCapitalize="none" value={typed} onValue={setTyped} />
      </Field>
    </FormDialog>
  );
}
