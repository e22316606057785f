/**
 * Asks before something that cannot be undone. Runs `onConfirm`, shows its failure, closes on success.
 * `typeToConfirm` requires a word to be typed first, for the most destructive actions.
 */
import type { QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useChange, useReadAgain } from "../../hooks/use-change.ts";
import { Field, Input } from "../controls/field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { toast } from "./toast.tsx";

interface ConfirmDialogProps {
  title: string;
  /** What will happen, in one or two sentences. */
  children: ReactNode;
  /** The verb, by default the title: "Revoke key". */
  confirm?: string;
  /** The dismiss button's label, if "Cancel" could be mistaken for the action itself. */
  dismiss?: string;
  tone?: "danger" | "primary";
  typeToConfirm?: string;
  onConfirm: () => Promise<unknown>;
  /** What is said then, and read again before the dialog closes; see useChange. */
  done?: string;
  reads?: readonly QueryKey[];
  onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm = title, dismiss, tone = "danger", typeToConfirm } = props;
  const { onConfirm, done, reads = [], onClose } = props;
  const readAgain = useReadAgain();
  const run = useChange(
    async () => {
      await onConfirm();
      if (done !== undefined) toast(done);
      await readAgain(reads);
    },
    { onDone: onClose },
  );
  const [typed, setTyped] = useState("");
  const isTyped = typeToConfirm === undefined || typed === typeToConfirm;
  return (
    <FormDialog
      role="alertdialog"
      size="sm"
      title={title}
      description={children}
      className="flex flex-col gap-4"
      change={run}
      onSubmit={() => {
        if (isTyped) run.mutate();
      }}
      submit={confirm}
      disabled={!isTyped}
      tone={tone}
      {...(dismiss !== undefined && { dismiss })}
      onClose={onClose}
    >
      {typeToConfirm !== undefined && (
        <Field
          label={
            <>
              Type <code className="font-mono">{typeToConfirm}</code> to confirm
            </>
          }
        >
          <Input value={typed} onValue={setTyped} autoComplete="off" />
        </Field>
      )}
    </FormDialog>
  );
}
