/**
 * Asks before something that cannot be undone. Runs `onConfirm`, shows its failure, closes on success.
 * `typeToConfirm` requires a word to be typed first, for the most destructive actions.
 */
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { formError } from "../../form-errors.ts";
import { Button } from "../controls/button.tsx";
import { Callout } from "../states/callout.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "../controls/field.tsx";
import { Form } from "../controls/form.tsx";
import { Input } from "../controls/input.tsx";

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen, in one or two sentences. */
  children: ReactNode;
  /** The verb: "Revoke key". */
  confirm: string;
  /** The dismiss button's label, if "Cancel" could be mistaken for the action itself. */
  dismiss?: string;
  tone?: "danger" | "primary";
  typeToConfirm?: string;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirm,
  dismiss = "Cancel",
  tone = "danger",
  typeToConfirm,
  onConfirm,
}: ConfirmDialogProps) {
  const run = useMutation({ mutationFn: onConfirm, onSuccess: close, gcTime: 0 });
  const failure = formError(run.error, []);
  const [typed, setTyped] = useState("");
  const isTyped = typeToConfirm === undefined || typed === typeToConfirm;

  function close() {
    run.reset();
    setTyped("");
    onOpenChange(false);
  }

  return (
    <Dialog
      role="alertdialog"
      size="sm"
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={title}
      description={children}
      dismissable={!run.isPending}
      footer={
        <>
          <Button onClick={close} disabled={run.isPending}>
            {dismiss}
          </Button>
          <Button variant={tone} pending={run.isPending} disabled={!isTyped} onClick={() => run.mutate()}>
            {confirm}
          </Button>
        </>
      }
    >
      {(failure !== undefined || typeToConfirm !== undefined) && (
        <Form
          className="flex flex-col gap-4"
          error={run.error}
          onSubmit={() => {
            if (isTyped && !run.isPending) run.mutate();
          }}
        >
          {typeToConfirm !== undefined && (
            <Field
              label={
                <>
                  Type <code className="font-mono">{typeToConfirm}</code> to confirm
                </>
              }
            >
              <Input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
            </Field>
          )}
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      )}
    </Dialog>
  );
}
