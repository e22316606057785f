import type { ReactNode } from "react";
import type { KeyWithSecret } from "../../../../src/protocol/dashboard/api.js";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { ShownOnce } from "../../../components/overlays/one-time-link.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { queries } from "../../../service/queries.ts";

interface IssueKeyDialogProps {
  /** The label of the dialog and its button: "Create key". */
  action: string;
  /** The title once it is done: "Key created". */
  done: string;
  description?: ReactNode;
  issue: () => Promise<KeyWithSecret>;
  /** For a page that can use the secret; it must not keep it anywhere else. */
  onIssued?: ((issued: KeyWithSecret) => void) | undefined;
  /** Below the new key. */
  note?: ReactNode;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A form that ends in a new key, which is shown this once: from then on only its own button closes the dialog. */
export function IssueKeyDialog(props: IssueKeyDialogProps) {
  const { action, done, description, issue, onIssued, note, onClose, children } = props;
  const issuing = useIssueKey(issue);
  const issued = issuing.data;
  return (
    <FormDialog
      title={issued === undefined ? action : done}
      description={issued === undefined ? description : undefined}
      change={issuing}
      onSubmit={() => issuing.mutate(undefined, onIssued && { onSuccess: onIssued })}
      submit={action}
      result={
        issued && (
          <NewSecret name={issued.key.name} secret={issued.secret}>
            {note}
          </NewSecret>
        )
      }
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}

/** Creates or rotates a key. `data` has the new secret, which exists nowhere else. */
export const useIssueKey = (issue: () => Promise<KeyWithSecret>) =>
  useChange(issue, { reads: [queries.keys.queryKey] });

/** A new key, shown this once. */
export function NewSecret({
  name,
  secret,
  children,
}: {
  name: string;
  secret: string;
  children?: ReactNode;
}) {
  return (
    <ShownOnce>
      <CopyField label={name} value={secret} />
      <Callout tone="warn" title="Copy it now">
        Only a hash of the key is stored, so it cannot be shown again. If you lose it, rotate the key.
      </Callout>
      {children}
    </ShownOnce>
  );
}
