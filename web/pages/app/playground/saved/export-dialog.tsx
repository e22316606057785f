import { useState } from "react";
import { Field, PasswordInput } from "../../../../components/controls/field.tsx";
import { useChange } from "../../../../hooks/use-change.ts";
import { FileError, seal, shortestPassphrase } from "./encrypted-file.ts";
import { FileDialog } from "./file-dialog.tsx";
import type { SavedConversation } from "./saved-conversation.ts";

interface ExportDialogProps {
  conversation: SavedConversation;
  onClose: () => void;
}

/** Saves the conversation to a file, encrypted in the browser under a passphrase. */
export function ExportDialog({ conversation, onClose }: ExportDialogProps) {
  const [passphrase, setPassphrase] = useState("");
  const [repeated, setRepeated] = useState("");
  const save = useChange(
    async () => {
      if (passphrase.length < shortestPassphrase) {
        throw new FileError("passphrase", `Enter at least ${shortestPassphrase} characters.`);
      }
      if (passphrase !== repeated) throw new FileError("repeated", "The two passphrases differ.");
      download(await seal(JSON.stringify(conversation), passphrase));
    },
    { done: "Conversation exported", onDone: onClose },
  );
  return (
    <FileDialog
      title="Export conversation"
      description={
        "Saves messages and settings to a file, encrypted in your browser (AES\u2011256\u2011GCM). Nothing is sent to the service."
      }
      change={save}
      submit="Export"
      onClose={onClose}
    >
      <Field
        label="Passphrase"
        hint={`At least ${shortestPassphrase} characters. Without it, nobody can open the file, you included.`}
        name="passphrase"
      >
        <PasswordInput autoComplete="off" value={passphrase} onValue={setPassphrase} />
      </Field>
      <Field label="Repeat passphrase" name="repeated">
        <PasswordInput autoComplete="off" value={repeated} onValue={setRepeated} />
      </Field>
    </FileDialog>
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
