import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../../components/controls/button.tsx";
import { Field } from "../../../../components/controls/field.tsx";
import { Form } from "../../../../components/controls/form.tsx";
import { Input, PasswordInput } from "../../../../components/controls/input.tsx";
import { Dialog } from "../../../../components/overlays/dialog.tsx";
import { Callout } from "../../../../components/states/callout.tsx";
import { canEncrypt, damaged, FileError, messageAt, readSealed, unseal } from "./encrypted-file.ts";
import { InsecurePage } from "./insecure-page.tsx";
import { readConversation, type SavedConversation } from "./saved-conversation.ts";

interface ImportDialogProps {
  /** There is a conversation on the page. */
  replaces: boolean;
  onImport: (conversation: SavedConversation) => void;
  onClose: () => void;
}

/** Opens an exported conversation: file and passphrase stay in the browser. */
export function ImportDialog({ replaces, onImport, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState("");
  const open = useMutation({
    mutationFn: async () => {
      if (file === null) throw new FileError("file", "Choose a file.");
      const sealed = await readSealed(file);
      if (passphrase === "") throw new FileError("passphrase", "Enter the passphrase of the file.");
      const conversation = readConversation(await unseal(sealed, passphrase));
      if (conversation === null) throw damaged();
      onClose();
      onImport(conversation);
    },
    gcTime: 0,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Import conversation"
      description="Opens an exported file in your browser. Nothing is sent to the service until your next message."
      dismissable={!open.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={open.isPending}>
            {canEncrypt() ? "Cancel" : "Close"}
          </Button>
          {canEncrypt() && (
            <Button type="submit" form="import" variant="primary" pending={open.isPending}>
              Import
            </Button>
          )}
        </>
      }
    >
      {canEncrypt() ? (
        <Form
          id="import"
          className="flex flex-col gap-5"
          error={open.error}
          onSubmit={() => {
            if (!open.isPending) open.mutate();
          }}
        >
          {replaces && <Callout tone="warn">It replaces the conversation and settings on this page.</Callout>}
          <Field label="File" hint="Ends in .sotto.json." error={messageAt(open.error, "file")}>
            <Input
              type="file"
              accept=".json,application/json"
              onChange={(event) => setFile(event.target.files?.[0] ?? null)}
              className="py-2 text-sm file:mr-3 file:font-medium file:text-accent"
            />
          </Field>
          <Field label="Passphrase" error={messageAt(open.error, "passphrase")}>
            <PasswordInput
              autoComplete="off"
              value={passphrase}
              onChange={(event) => setPassphrase(event.target.value)}
            />
          </Field>
        </Form>
      ) : (
        <InsecurePage />
      )}
    </Dialog>
  );
}
