/**
 * Asks before something that cannot be taken back. Runs `onConfirm`, shows its failure, closes on success.
 * `typeToConfirm` asks for a word to be typed first, for what destroys most.
 */
import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Callout } from "./callout.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will happen, in one or two sentences. */
  children: ReactNode;
  /** The verb: "Revoke key". */
  confirm: string;
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
  tone = "danger",
  typeToConfirm,
  onConfirm,
}: ConfirmDialogProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [typed, setTyped] = useState("");

  function close() {
    setFailure(null);
    setTyped("");
    onOpenChange(false);
  }

  async function run() {
    setPending(true);
    setFailure(null);
    try {
      await onConfirm();
      close();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : "Something went wrong. Try again.");
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      role="alertdialog"
      size="sm"
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={title}
      description={children}
      dismissable={!pending}
      footer={
        <>
          <Button onClick={close} disabled={pending}>
            Cancel
          </Button>
          <Button
            variant={tone}
            pending={pending}
            disabled={typeToConfirm !== undefined && typed !== typeToConfirm}
            onClick={() => void run()}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {(failure !== null || typeToConfirm !== undefined) && (
        <div className="flex flex-col gap-4">
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
          {failure !== null && <Callout tone="bad">{failure}</Callout>}
        </div>
      )}
    </Dialog>
  );
}
