/** Who runs the service, as everyone sees it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OperatorFacts } from "../../../../src/core/operator.js";
import { Button } from "../../../components/controls/button.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { OperatorFields } from "../../../components/controls/operator-fields.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formError } from "../../../form-errors.ts";
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
  const client = useQueryClient();
  const [draft, setDraft] = useState({ name: operator.name ?? "", contact: operator.contact ?? "" });
  const save = useMutation({
    mutationFn: () => adminApi.saveOperator(draft),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: queries.site.queryKey }),
        client.invalidateQueries({ queryKey: adminQueries.home.queryKey }),
      ]);
      toast("Saved");
      onClose();
    },
    gcTime: 0,
  });
  const failure = formError(save.error, ["name", "contact"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!save.isPending}
      title="Operator"
      description="Shown on every public page, in mails and in the feeds."
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="operator" variant="primary" pending={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="operator"
        className="flex flex-col gap-5"
        error={save.error}
        onSubmit={() => {
          save.mutate();
        }}
      >
        <OperatorFields
          draft={draft}
          onChange={setDraft}
          error={save.error}
          isNameConfigured={operator.isNameConfigured}
        />
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      </Form>
    </Dialog>
  );
}
