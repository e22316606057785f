import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FactorsView, NewTotp } from "../../../../src/protocol/dashboard/factors.js";
import { Button } from "../../../components/controls/button.tsx";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input } from "../../../components/controls/input.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Time } from "../../../components/text/time.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { factorApi, factorQueries } from "../../../service/factors.ts";
import { QrCode } from "./qr-code.tsx";

interface FactorProps {
  factors: FactorsView;
  /** With new recovery codes, which must be shown; null where there are some. */
  onAdded: (codes: string[] | null) => void;
}

export function AuthenticatorApp({ factors, onAdded }: FactorProps) {
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: factorQueries.factors.queryKey });
  const [removing, setRemoving] = useState(false);
  const begin = useMutation({
    mutationFn: factorApi.beginTotp,
    onError: (error) => toast(error.message, "bad"),
    gcTime: 0,
  });
  const { totpSince } = factors;
  return (
    <Card
      title="Authenticator app"
      description="An app on your phone shows a six-digit code, which you enter after your password."
    >
      {totpSince === null ? (
        <Button pending={begin.isPending} onClick={() => begin.mutate()}>
          Set up an app
        </Button>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p>
            On since <Time at={totpSince} style="date" />
          </p>
          <Button onClick={() => setRemoving(true)}>Remove app…</Button>
        </div>
      )}
      {begin.data !== undefined && (
        <SetUp
          totp={begin.data}
          onClose={() => begin.reset()}
          onDone={async (codes) => {
            begin.reset();
            toast("Authenticator app added");
            await reload();
            onAdded(codes);
          }}
        />
      )}
      <ConfirmDialog
        open={removing}
        onOpenChange={setRemoving}
        title="Remove authenticator app"
        confirm="Remove app"
        onConfirm={async () => {
          await factorApi.removeTotp();
          toast("Authenticator app removed");
          await reload();
        }}
      >
        Its codes stop working. Without a passkey, your password alone signs you in.
      </ConfirmDialog>
    </Card>
  );
}

interface SetUpProps {
  totp: NewTotp;
  onClose: () => void;
  onDone: (codes: string[] | null) => Promise<void>;
}

function SetUp({ totp, onClose, onDone }: SetUpProps) {
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => factorApi.confirmTotp(code),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
    gcTime: 0,
  });
  const failure = formError(confirm.error, ["code"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!confirm.isPending}
      title="Set up an authenticator app"
      description="Scan the QR code with the app, then enter the code that it shows."
      footer={
        <>
          <Button onClick={onClose} disabled={confirm.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="confirm-totp" variant="primary" pending={confirm.isPending}>
            Turn on
          </Button>
        </>
      }
    >
      <Form
        id="confirm-totp"
        className="flex flex-col gap-5"
        error={confirm.error}
        onSubmit={() => confirm.mutate()}
      >
        <QrCode text={totp.address} label="QR code for the authenticator app" />
        <CopyField label="Or type this key into the app" value={totp.secret.replace(/.{4}(?!$)/g, "$& ")} />
        <Field label="Code" hint="Six digits." error={fieldError(confirm.error, "code")}>
          <Input
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={12}
            className="max-w-40 font-mono"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
