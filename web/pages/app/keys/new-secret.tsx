import type { ReactNode } from "react";
import { Callout } from "../../../components/states/callout.tsx";
import { CopyField } from "../../../components/controls/copy-field.tsx";
import { ShownOnce } from "../../../components/overlays/shown-once.tsx";

/** A new key, this once, inside a dialog that only its own button closes: anything else might lose the key. */
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
        Only a fingerprint of the key is stored. It cannot be shown again; if it is lost, rotate the key.
      </Callout>
      {children}
    </ShownOnce>
  );
}
