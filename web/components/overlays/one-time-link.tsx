import { useEffect, useRef, type ReactNode } from "react";
import type { OneTimeLink as Link } from "../../../src/protocol/dashboard/api.js";
import { CopyField } from "../controls/copy-field.tsx";
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

/** Takes the focus when it appears, since the button that created it is gone: a screen reader continues here. */
export function ShownOnce({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {children}
    </div>
  );
}
