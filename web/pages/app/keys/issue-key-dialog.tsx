import type { ReactNode } from "react";
import type { KeyWithSecret } from "../../../../src/protocol/dashboard/api.js";
import { Button } from "../../../components/controls/button.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formError } from "../../../form-errors.ts";
import { NewSecret } from "./new-secret.tsx";
import { useIssueKey } from "./use-issue-key.ts";

interface IssueKeyDialogProps {
  /** The label of the dialog and its button: "Create key". */
  action: string;
  /** The title once it is done: "Key created". */
  done: string;
  description?: ReactNode;
  issue: () => Promise<KeyWithSecret>;
  /** The form's fields that show their own errors; other errors are shown below them. */
  fieldNames: readonly string[];
  fields: (error: Error | null) => ReactNode;
  /** For a page that can use the secret; it must not keep it anywhere else. */
  onIssued?: ((issued: KeyWithSecret) => void) | undefined;
  /** Below the new key. */
  note?: ReactNode;
  onClose: () => void;
}

/** A form that ends in a new key, which is shown this once: from then on only its own button closes the dialog. */
export function IssueKeyDialog(props: IssueKeyDialogProps) {
  const { action, done, description, issue, fieldNames, fields, onIssued, note, onClose } = props;
  const issuing = useIssueKey(issue);
  const issued = issuing.data;
  if (issued !== undefined) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={done}
        dismissable={false}
        footer={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <NewSecret name={issued.key.name} secret={issued.secret}>
          {note}
        </NewSecret>
      </Dialog>
    );
  }
  const failure = formError(issuing.error, fieldNames);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={action}
      description={description}
      dismissable={!issuing.isPending}
      footer={
        <>
          <Button onClick={onClose} disabled={issuing.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="issue-key" variant="primary" pending={issuing.isPending}>
            {action}
          </Button>
        </>
      }
    >
      <Form
        id="issue-key"
        className="flex flex-col gap-5"
        error={issuing.error}
        onSubmit={() => {
          issuing.mutate(undefined, onIssued && { onSuccess: onIssued });
        }}
      >
        {fields(issuing.error)}
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
