import { useState } from "react";
import type { KeyView } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Field, Select } from "../../../components/controls/field.tsx";
import { useSpace } from "../../../hooks/use-space.ts";
import { IssueKeyDialog } from "./issue-key-dialog.tsx";

const dayMs = 24 * 60 * 60_000;

const graces = [
  { value: "0", label: "Revoke immediately" },
  { value: "1", label: "1 hour" },
  { value: "24", label: "1 day" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
];

/** Replaces a key with a new one with the same settings; the old one keeps working for the grace period. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const [grace, setGrace] = useState("24");
  const { id: team } = useSpace();
  return (
    <IssueKeyDialog
      action="Rotate key"
      done="Key rotated"
      description={
        <>
          A new key replaces <strong className="font-medium wrap-anywhere text-ink">{apiKey.name}</strong>. It
          keeps its name, permissions, networks, limits and tags; what was used of its quotas counts for the
          new key too.
          {apiKey.expiresAt !== null && <NewExpiry apiKey={apiKey} />}
        </>
      }
      issue={() => api.rotateKey(apiKey.id, { graceHours: Number(grace) }, team)}
      onClose={onClose}
      note={
        <p className="text-sm text-muted">
          {grace === "0"
            ? `The old key, ending in ${apiKey.lastFour}, no longer works.`
            : `The old key, ending in ${apiKey.lastFour}, keeps working for ${labelOf(grace)}.`}
        </p>
      }
    >
      <Field
        label="Keep the old key working for"
        hint="Time to move your programs to the new one."
        name="graceHours"
      >
        <Select value={grace} onValue={setGrace} options={graces} />
      </Field>
    </IssueKeyDialog>
  );
}

/** The new key lives as long as the old one was meant to. */
function NewExpiry({ apiKey: { createdAt, expiresAt } }: { apiKey: KeyView }) {
  const days = Math.round((Date.parse(expiresAt ?? createdAt) - Date.parse(createdAt)) / dayMs);
  return (
    <>
      {" "}
      It expires {days <= 1 ? "a day" : `${days} days`} after the rotation, as the old one did after its
      creation.
    </>
  );
}

function labelOf(grace: string): string {
  return graces.find(({ value }) => value === grace)?.label ?? "";
}
