import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyView } from "../../../../src/protocol/dashboard-api.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { queries } from "../../../service/queries.ts";
import { NewSecret } from "./new-secret.tsx";

const graces = [
  { value: "0", label: "It ends at once" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "1 day" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
];

/** Replaces a key by a new one of the same kind; the old one goes on working for the grace period. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const client = useQueryClient();
  const [grace, setGrace] = useState("24");
  const rotate = useMutation({
    mutationFn: () => api.rotateKey(apiKey.id, { graceHours: Number(grace) }),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.keys.queryKey }),
    gcTime: 0,
  });
  const issued = rotate.data;
  const failure = formError(rotate.error, ["graceHours"]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={issued === undefined ? "Rotate key" : "Key rotated"}
      dismissable={issued === undefined && !rotate.isPending}
      description={
        issued === undefined ? (
          <>
            A new key takes over from{" "}
            <strong className="font-medium wrap-anywhere text-ink">{apiKey.name}</strong>, with the same name
            and models.
          </>
        ) : undefined
      }
      footer={
        issued === undefined ? (
          <>
            <Button onClick={onClose} disabled={rotate.isPending}>
              Cancel
            </Button>
            <Button type="submit" form="rotate-key" variant="primary" pending={rotate.isPending}>
              Rotate key
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {issued === undefined ? (
        <Form
          id="rotate-key"
          className="flex flex-col gap-5"
          error={rotate.error}
          onSubmit={() => {
            rotate.mutate();
          }}
        >
          <Field
            label="The old key works on for"
            hint="Time to move your programs to the new one."
            error={fieldError(rotate.error, "graceHours")}
          >
            <Select value={grace} onChange={(event) => setGrace(event.target.value)} options={graces} />
          </Field>
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </Form>
      ) : (
        <NewSecret name={issued.key.name} secret={issued.secret}>
          <p className="text-sm text-muted">
            {grace === "0"
              ? `The old key, ending in ${apiKey.lastFour}, no longer works.`
              : `The old key, ending in ${apiKey.lastFour}, works for ${labelOf(grace)} more.`}
          </p>
        </NewSecret>
      )}
    </Dialog>
  );
}

function labelOf(grace: string): string {
  return graces.find(({ value }) => value === grace)?.label ?? "";
}
