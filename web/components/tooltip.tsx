/** A short text on hover and focus, for what an icon or a cut-off value means. Never the only place for it. */
import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={250}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={12}
            className="z-50 max-w-72 animate-rise rounded-md bg-ink px-2.5 py-1.5 text-xs text-bg"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
