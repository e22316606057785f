import { CopyField } from "../../../components/controls/copy-field.tsx";
import { ShownOnce } from "../../../components/overlays/shown-once.tsx";
import { Callout } from "../../../components/states/callout.tsx";

/** What deliveries are signed with, shown this once. */
export function WebhookSecret({ secret }: { secret: string }) {
  return (
    <ShownOnce>
      <CopyField label="Signing secret" value={secret} />
      <Callout tone="warn" title="Copy it now">
        It cannot be shown again. If you lose it, rotate it.
      </Callout>
      <p className="text-sm text-muted">
        Deliveries are signed with it according to Standard Webhooks, whose libraries can verify them.
      </p>
    </ShownOnce>
  );
}
