/**
 * Button, ButtonLink (a route of ours) and IconButton. At most one primary button per page; `quiet` for rows
 * and toolbars; `danger` only inside a confirmation. `pending` shows that it is busy and keeps it from being
 * pressed twice.
 */
import type { ComponentProps, ReactNode } from "react";
import { Link } from "wouter";
import { cx } from "../../cx.ts";
import { Spinner } from "../states/spinner.tsx";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "sm" | "md" | "lg";

interface Look {
  variant?: Variant | undefined;
  size?: Size | undefined;
}

interface ButtonProps extends Look, ComponentProps<"button"> {
  pending?: boolean;
  /** A lucide icon before the text. */
  icon?: ReactNode;
}

export function Button({ variant, size, pending = false, icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      // Not `disabled` while busy: the browser would take the focus away from whoever pressed it.
      onClick={pending ? (event) => event.preventDefault() : rest.onClick}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      className={cx(buttonLook({ variant, size }), className)}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
}

interface ButtonLinkProps extends Look {
  href: string;
  className?: string;
  children: ReactNode;
}

export function ButtonLink({ variant, size, href, className, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={cx(buttonLook({ variant, size }), className)}>
      {children}
    </Link>
  );
}

/** A plain address outside the router: a download, a feed. */
export function ButtonAnchor({
  variant,
  size,
  icon,
  className,
  children,
  ...rest
}: Look & ComponentProps<"a"> & { icon?: ReactNode }) {
  return (
    <a {...rest} className={cx(buttonLook({ variant, size }), className)}>
      {icon}
      {children}
    </a>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  /** Read aloud, and shown on hover. */
  label: string;
  size?: "sm" | "md";
}

export function IconButton({ label, size = "md", className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={cx(
        "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors",
        "hover:bg-hover hover:text-ink disabled:opacity-50 aria-expanded:bg-hover aria-expanded:text-ink",
        size === "md" ? "size-9 [&>svg]:size-4.5" : "size-8 [&>svg]:size-4",
        className,
      )}
    />
  );
}

const base =
  "inline-flex shrink-0 items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-55 aria-busy:opacity-55 [&>svg]:size-4 [&>svg]:shrink-0";

const variants: Record<Variant, string> = {
  primary: "border-transparent bg-accent text-on-accent hover:bg-accent-strong disabled:hover:bg-accent",
  secondary: "border-line bg-surface text-ink hover:border-edge hover:bg-hover",
  quiet: "border-transparent text-muted hover:bg-hover hover:text-ink",
  danger: "border-transparent bg-bad text-on-bad hover:opacity-90",
};

const sizes: Record<Size, string> = {
  sm: "h-8 px-2.5 text-sm",
  md: "h-9 px-3.5 text-sm",
  lg: "h-11 px-5 text-base",
};

function buttonLook({ variant = "secondary", size = "md" }: Look): string {
  return cx(base, variants[variant], sizes[size]);
}
