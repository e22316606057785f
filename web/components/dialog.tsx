/**
 * A modal dialog over Radix: focus moves in, stays in and returns; Escape and the backdrop close it.
 *
 * For a form, put <form id="f"> inside and its submit button into `footer` with `form="f"`.
 */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../cx.ts";
import { IconButton } from "./button.tsx";
import { ModalBackdrop } from "./modal-backdrop.tsx";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** False for what must be answered: a secret shown once, a request under way. */
  dismissable?: boolean;
  role?: "dialog" | "alertdialog";
  children?: ReactNode;
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  size = "md",
  dismissable = true,
  role = "dialog",
  children,
}: DialogProps) {
  const refuse = (event: Event) => {
    if (!dismissable) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <ModalBackdrop className="flex animate-rise items-end justify-center overflow-y-auto p-3 sm:items-center sm:p-6">
          <Radix.Content
            role={role}
            onEscapeKeyDown={refuse}
            onPointerDownOutside={refuse}
            onInteractOutside={refuse}
            {...(description === undefined ? { "aria-describedby": undefined } : {})}
            className={cx(
              "w-full rounded-lg border border-line bg-surface shadow-float outline-none",
              widths[size],
            )}
          >
            <div className="flex items-start justify-between gap-4 px-5 pt-5 sm:px-6">
              <div className="min-w-0">
                <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
                {description !== undefined && (
                  <Radix.Description asChild>
                    <div className="mt-1 text-muted">{description}</div>
                  </Radix.Description>
                )}
              </div>
              {dismissable && (
                <Radix.Close asChild>
                  <IconButton label="Close" className="-mt-1 -mr-2">
                    <X />
                  </IconButton>
                </Radix.Close>
              )}
            </div>
            {children !== undefined && <div className="px-5 pt-5 sm:px-6">{children}</div>}
            <div className="flex flex-col-reverse gap-2 px-5 pt-6 pb-5 empty:pt-0 sm:flex-row sm:justify-end sm:px-6">
              {footer}
            </div>
          </Radix.Content>
        </ModalBackdrop>
      </Radix.Portal>
    </Radix.Root>
  );
}

const widths = { sm: "max-w-md", md: "max-w-lg", lg: "max-w-3xl" };
