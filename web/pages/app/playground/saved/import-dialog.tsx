import { useState } from "react";
import { Field, Input, PasswordInput } from "../../../../components/controls/field.tsx";
import { Callout } from "../../../../components/states/callout.tsx";
import { useChange } from "../../../../hooks/use-change.ts";
import { damaged, FileError, readSealed, unseal } from "./encrypted-file.ts";
import { FileDialog } from "./file-dialog.tsx";
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
  const open = useChange(async () => {
    if (file === null) throw new FileError("file", "Choose a file.");
    const sealed = await readSealed(file);
    if (passphrase === "") throw new FileError("passphrase", "Enter the passphrase of the file.");
    const conversation = readConversation(await unseal(sealed, passphrase));
    if (conversation === null) throw damaged();
    onClose();
    onImport(conversation);
  });
  return (
    <FileDialog
      title="Import conversation"
      description="Opens an exported file in your browser. Nothing is sent to the service until your next message."
      change={open}
      submit="Import"
      onClose={onClose}
    >
      {replaces && <Callout tone="warn">It replaces the conversation and settings on this page.</Callout>}
      <Field label="File" hint="Ends in .sotto.json." name="file">
        <Input
          type="file"
          accept=".json,application/json"
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          className="py-2 text-sm file:mr-3 file:font-medium file:text-accent"
        />
      </Field>
      <Field label="Passphrase" name="passphrase">
        <PasswordInput autoComplete="off" value={passphrase} onValue={setPassphrase} />
      </Field>
    </FileDialog>
  );
}
