import { useState, useMemo } from "react";
import { encode } from "uqr";
import type { FactorsView, NewTotp } from "../../../../src/protocol/dashboard/factors.js";
import { Button } from "../../../components/controls/button.tsx";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { factorApi, factorQueries } from "../../../service/factors.ts";

export interface FactorProps {
  factors: FactorsView;
  /** With new recovery codes, which must be shown; null where there are some. */
  onAdded: (codes: string[] | null) => void;
}

export function AuthenticatorApp({ factors, onAdded }: FactorProps) {
  const readAgain = useReadAgain();
  const [removing, setRemoving] = useState(false);
  const begin = useChange(() => factorApi.beginTotp(), { toastsErrors: true });
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
            await readAgain(keys);
            onAdded(codes);
          }}
        />
      )}
      {removing && (
        <ConfirmDialog
          title="Remove authenticator app"
          confirm="Remove app"
          onConfirm={() => factorApi.removeTotp()}
          done="Authenticator app removed"
          reads={keys}
          onClose={() => setRemoving(false)}
        >
          Its codes stop working. Without a passkey, your password alone signs you in.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const keys = [factorQueries.factors.queryKey];

interface SetUpProps {
  totp: NewTotp;
  onClose: () => void;
  onDone: (codes: string[] | null) => Promise<void>;
}

function SetUp({ totp, onClose, onDone }: SetUpProps) {
  const [code, setCode] = useState("");
  const confirm = useChange(() => factorApi.confirmTotp(code), {
    onDone: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  return (
    <FormDialog
      title="Set up an authenticator app"
      description="Scan the QR code with the app, then enter the code that it shows."
      change={confirm}
      submit="Turn on"
      onClose={onClose}
    >
      <QrCode text={totp.address} label="QR code for the authenticator app" />
      <CopyField label="Or type this key into the app" value={totp.secret.replace(/.{4}(?!$)/g, "$& ")} />
      <Field label="Code" hint="Six digits." name="code">
        <Input
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
          className="max-w-40 font-mono"
          value={code}
          onValue={setCode}
        />
      </Field>
    </FormDialog>
  );
}

/** Black on white in every theme: many apps cannot read it the other way round. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size: modules, data } = encode(text, { border: 3 });
    const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: modules, path: dots.join("") };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-52 rounded-md border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
