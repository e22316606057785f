/** Tabs over Radix: arrow keys move, the panel follows. Uncontrolled unless `value` is given. */
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../../cx.ts";

interface TabsProps {
  /** Read aloud: "Language". */
  label: string;
  items: readonly { id: string; label: ReactNode; content: ReactNode }[];
  value?: string;
  onValueChange: (id: string) => void;
}

export function Tabs({ label, items, value, onValueChange }: TabsProps) {
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: items[0]?.id ?? "" } : { value })}
      onValueChange={onValueChange}
    >
      <div className="flex items-center justify-between gap-4 border-b border-line">
        <Radix.List aria-label={label} className={cx(tabRow, "-ml-1.5")}>
          {items.map((item) => (
            <Radix.Trigger key={item.id} value={item.id} className={tabLook}>
              {item.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {items.map((item) => (
        <Radix.Content key={item.id} value={item.id} className="pt-5">
          {item.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** Scrolls if the tabs do not fit, with a fade-out at the end as a hint. */
export const tabRow =
  "-mb-px flex gap-3 overflow-x-auto pr-6 [mask-image:linear-gradient(to_left,transparent,black_1.5rem)]";

export const tabLook = cx(
  "border-b-2 border-transparent rounded-t-sm px-1.5 py-2.5 text-sm font-medium whitespace-nowrap text-muted transition-colors",
  "-outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink",
);
