import type { OneTimeLink as Link } from "../../../src/protocol/dashboard/api.js";
import { CopyField } from "../controls/copy-field.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { Time } from "../text/time.tsx";

/** A link that works once, with its expiry. */
export function OneTimeLink({ label, link }: { label: string; link: Link }) {
  return (
    <ShownOnce>
      <CopyField label={label} value={link.link} />
      <p className="text-sm text-muted">
        It works once, until <Time at={link.expiresAt} style="moment" />, and cannot be shown again.
      </p>
    </ShownOnce>
  );
}
