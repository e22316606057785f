import type { ReactNode } from "react";
import { Callout } from "../../../components/states/callout.tsx";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { ShownOnce } from "../../../components/overlays/shown-once.tsx";

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
