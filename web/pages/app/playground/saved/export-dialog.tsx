import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../../components/controls/button.tsx";
import { Field } from "../../../../components/controls/field.tsx";
import { Form } from "../../../../components/controls/form.tsx";
import { PasswordInput } from "../../../../components/controls/input.tsx";
import { Dialog } from "../../../../components/overlays/dialog.tsx";
import { toast } from "../../../../components/overlays/toast.tsx";
import { Callout } from "../../../../components/states/callout.tsx";
import { canEncrypt, FileError, messageAt, seal, shortestPassphrase } from "./encrypted-file.ts";
import { InsecurePage } from "./insecure-page.tsx";
import type { SavedConversation } from "./saved-conversation.ts";

interface ExportDialogProps {
  conversation: SavedConversation;
  onClose: () => void;
}

/** Saves the conversation to a file, encrypted in the browser under a passphrase. */
export function ExportDialog({ conversation, onClose }: ExportDialogProps) {
  const [passphrase, setPassphrase] = useState("");
  const [repeated, setRepeated] = useState("");
  const save = useMutation({
    mutationFn: async () => {
      if (passphrase.length < shortestPassphrase) {
        throw new FileError("passphrase", `Enter at least ${shortestPassphrase} characters.`);
      }
      if (passphrase !== repeated) throw new FileError("repeated", "The two passphrases differ.");
      download(await seal(JSON.stringify(conversation), passphrase));
    },
    onSuccess: () => {
      onClose();
      toast("Conversation exported");
    },
    gcTime: 0,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Export conversation"
      description={
        "Saves messages and settings to a file, encrypted in your browser (AES\u2011256\u2011GCM). Nothing is sent to the service."
      }
      dismissable={!save.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            {canEncrypt() ? "Cancel" : "Close"}
          </Button>
          {canEncrypt() && (
            <Button type="submit" form="export" variant="primary" pending={save.isPending}>
              Export
            </Button>
          )}
        </>
      }
    >
      {canEncrypt() ? (
        <Form
          id="export"
          className="flex flex-col gap-5"
          error={save.error}
          onSubmit={() => {
            if (!save.isPending) save.mutate();
          }}
        >
          <Field
            label="Passphrase"
            hint={`At least ${shortestPassphrase} characters. Without it, nobody can open the file, you included.`}
            error={messageAt(save.error, "passphrase")}
          >
            <PasswordInput
              autoComplete="off"
              value={passphrase}
              onChange={(event) => setPassphrase(event.target.value)}
            />
          </Field>
          <Field label="Repeat passphrase" error={messageAt(save.error, "repeated")}>
            <PasswordInput
              autoComplete="off"
              value={repeated}
              onChange={(event) => setRepeated(event.target.value)}
            />
          </Field>
          {messageAt(save.error, "file") !== undefined && (
            <Callout tone="bad">{messageAt(save.error, "file")}</Callout>
          )}
        </Form>
      ) : (
        <InsecurePage />
      )}
    </Dialog>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `conversation-${new Date().toISOString().slice(0, 10)}.sotto.json`;
  link.click();
  // The browser has taken the file over by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
