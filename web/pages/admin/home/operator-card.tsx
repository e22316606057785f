/** Who runs the service, as everyone sees it. */
import { useState } from "react";
import type { OperatorFacts } from "../../../../src/core/operator.js";
import { Button } from "../../../components/controls/button.tsx";
import { OperatorFields } from "../../../components/controls/operator-fields.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { FormDialog } from "../../../components/overlays/form-dialog.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { queries } from "../../../service/queries.ts";

export function OperatorCard({ operator }: { operator: OperatorFacts }) {
  const [editing, setEditing] = useState(false);
  return (
    <Card
      title="Operator"
      description="Shown on the public pages and in mails, so that people know whom to trust and ask."
      actions={
        <Button size="sm" onClick={() => setEditing(true)}>
          Edit…
        </Button>
      }
    >
      <p className="wrap-anywhere">
        {operator.name === null ? "No name yet" : `Run by ${operator.name}`}
        <span className="text-muted">, {operator.contact ?? "no contact yet"}</span>
      </p>
      {editing && <OperatorDialog operator={operator} onClose={() => setEditing(false)} />}
    </Card>
  );
}

export function OperatorDialog({ operator, onClose }: { operator: OperatorFacts; onClose: () => void }) {
  const [draft, setDraft] = useState({ name: operator.name ?? "", contact: operator.contact ?? "" });
  const readAgain = useReadAgain();
  const save = useChange(
    async () => {
      await adminApi.saveOperator(draft);
      await readAgain([queries.site.queryKey, adminQueries.home.queryKey]);
    },
    { done: "Saved", onDone: onClose },
  );

  return (
    <FormDialog
      title="Operator"
      description="Shown on every public page, in mails and in the feeds."
      change={save}
      submit="Save"
      onClose={onClose}
    >
      <OperatorFields draft={draft} onChange={setDraft} isNameConfigured={operator.isNameConfigured} />
    </FormDialog>
  );
}
