import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { PasskeyView } from "../../../../src/protocol/dashboard/factors.js";
import { Button, IconButton } from "../../../components/controls/button.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ConfirmDialog } from "../../../components/overlays/confirm-dialog.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { factorApi, factorQueries } from "../../../service/factors.ts";
import { canUsePasskeys, createPasskey } from "../../../service/passkeys.ts";
import { useSite } from "../../../service/queries.ts";
import type { FactorProps } from "./authenticator-app.tsx";

type Task = { type: "add" } | { type: "rename" | "remove"; passkey: PasskeyView };

export function Passkeys({ factors: { passkeys }, onAdded }: FactorProps) {
  const readAgain = useReadAgain();
  const { data: site } = useSite();
  const [task, setTask] = useState<Task | null>(null);
  const canAdd = canUsePasskeys(site);
  // Those that there are can still be removed.
  if (!canAdd && passkeys.length === 0) return null;
  const close = () => setTask(null);
  return (
    <Card
      flush={passkeys.length > 0}
      title="Passkeys"
      description="Sign in with your fingerprint, face, screen lock or a security key, without a password."
      actions={
        canAdd &&
        passkeys.length > 0 && (
          <Button size="sm" icon={<Plus />} onClick={() => setTask({ type: "add" })}>
            Add passkey
          </Button>
        )
      }
    >
      {passkeys.length === 0 ? (
        <Button icon={<Plus />} onClick={() => setTask({ type: "add" })}>
          Add passkey
        </Button>
      ) : (
        <ul aria-label="Passkeys" className="divide-y divide-line">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex items-center justify-between gap-4 px-5 py-3.5 sm:px-6">
              <PasskeyFacts passkey={passkey} />
              <span className="-mr-2 flex shrink-0">
                <IconButton
                  label={`Rename ${passkey.name}`}
                  onClick={() => setTask({ type: "rename", passkey })}
                >
                  <Pencil />
                </IconButton>
                <IconButton
                  label={`Remove ${passkey.name}`}
                  onClick={() => setTask({ type: "remove", passkey })}
                >
                  <Trash2 />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
      {task?.type === "add" && (
        <NameDialog
          title="Add passkey"
          submit="Continue"
          description="Give it a name, then follow your browser’s instructions."
          onClose={close}
          onName={async (name) => {
            const answer = await createPasskey(await factorApi.addPasskeyOptions());
            const { recoveryCodes } = await factorApi.addPasskey(name, answer);
            toast("Passkey added");
            await readAgain(keys);
            onAdded(recoveryCodes);
          }}
        />
      )}
      {task?.type === "rename" && (
        <NameDialog
          title="Rename passkey"
          submit="Rename"
          name={task.passkey.name}
          onClose={close}
          onName={async (name) => {
            await factorApi.renamePasskey(task.passkey.id, name);
            await readAgain(keys);
          }}
        />
      )}
      {task?.type === "remove" && (
        <ConfirmDialog
          onClose={close}
          title="Remove passkey"
          onConfirm={() => factorApi.removePasskey(task.passkey.id)}
          done="Passkey removed"
          reads={keys}
        >
          <span className="font-medium wrap-anywhere text-ink">{task.passkey.name}</span> no longer signs you
          in. Your device or password manager may keep it: remove it there, too.
        </ConfirmDialog>
      )}
    </Card>
  );
}

const keys = [factorQueries.factors.queryKey];

function PasskeyFacts({ passkey: { name, isSynced, createdAt, lastUsedAt } }: { passkey: PasskeyView }) {
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium wrap-anywhere">{name}</span>
        {isSynced && <Badge>Synced</Badge>}
      </p>
      <p className="text-sm text-muted">
        Added <Time at={createdAt} style="date" />
        {lastUsedAt === null ? (
          ", never used"
        ) : (
          <>
            , last used <Time at={lastUsedAt} />
          </>
        )}
      </p>
    </div>
  );
}

interface NameDialogProps {
  title: string;
  description?: string;
  submit: string;
  name?: string;
  onClose: () => void;
  onName: (name: string) => Promise<unknown>;
}

function NameDialog({ title, description, submit, name: before = "", onClose, onName }: NameDialogProps) {
  const [name, setName] = useState(before);
  const save = useChange(() => onName(name.trim()), { onDone: onClose });
  return (
    <FormDialog
      size="sm"
      title={title}
      description={description}
      change={save}
      submit={submit}
      disabled={name.trim() === ""}
      onClose={onClose}
    >
      <Field label="Name" hint="Such as “Laptop”." name="name">
        <Input autoComplete="off" maxLength={longest.passkeyName} value={name} onValue={setName} />
      </Field>
    </FormDialog>
  );
}
