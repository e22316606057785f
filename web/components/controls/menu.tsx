/**
 * A dropdown menu over Radix. Not modal: the modal form injects a <style>, which the content security policy
 * forbids. `<Menu label="Account" trigger={<IconButton …/>}><MenuItem …/></Menu>`
 */
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { cx } from "../../cx.ts";

interface MenuProps {
  /** One button. */
  trigger: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  children: ReactNode;
}

export function Menu({ trigger, align = "end", side = "bottom", children }: MenuProps) {
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  // In the landmark of its button: at the end of the page it would be in none, out of reach for people who navigate by landmarks.
  const landmark = button?.closest<HTMLElement>("main, nav");
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild ref={setButton}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal container={landmark}>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={12}
          className="z-50 min-w-52 animate-rise rounded-lg border border-line bg-surface p-1.5 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  tone?: "neutral" | "danger";
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, tone = "neutral", disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(itemLook, tone === "danger" && "text-bad")}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}

interface MenuLinkProps {
  icon?: ReactNode;
  href: string;
  /** Of several choices, the one that one has made. */
  isCurrent?: boolean;
  children: ReactNode;
}

/** An item that leads to a page of ours. */
export function MenuLink({ icon, href, isCurrent = false, children }: MenuLinkProps) {
  return (
    <Radix.Item asChild className={itemLook}>
      <Link href={href} aria-current={isCurrent ? "true" : undefined}>
        {icon}
        {children}
        {isCurrent && <Check className="ml-auto" aria-hidden />}
      </Link>
    </Radix.Item>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 py-1.5 text-sm text-muted">{children}</Radix.Label>;
}

const itemLook =
  "flex items-center gap-2.5 rounded-md px-2.5 py-2 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 [&>svg]:text-current [&>svg]:opacity-75";
