/**
 * A modal dialog over Radix: focus moves in, stays in and returns; Escape and the backdrop close it.
 *
 * For a form, put <form id="f"> inside and its submit button into `footer` with `form="f"`.
 */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { Children, useRef, type ReactNode } from "react";
import { cx } from "../../cx.ts";
import { IconButton } from "../controls/button.tsx";
import { ModalBackdrop } from "./modal-backdrop.tsx";

export interface DialogProps {
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** False if it must not be dismissed: a secret shown once, a request in progress. */
  dismissable?: boolean;
  role?: "dialog" | "alertdialog";
  children?: ReactNode;
}

export function Dialog({
  onClose,
  title,
  description,
  footer,
  size = "md",
  dismissable = true,
  role = "dialog",
  children,
}: DialogProps) {
  const opener = useRef<HTMLElement | null>(null);
  // Children that are all false or null are no body.
  const hasBody = Children.toArray(children).length > 0;
  const refuse = (event: Event) => {
    if (!dismissable) event.preventDefault();
  };
  const moveIn = (event: Event) => {
    opener.current = openerOf(document.activeElement);
    const first = firstControl(event.currentTarget, role);
    if (first === null) return;
    event.preventDefault();
    first.focus();
  };
  // Radix returns the focus to its own trigger only, and there is none: dialogs here are opened by state.
  // The opener may be gone, with the row that was just deleted: then focus the page, so that Tab continues from there.
  const moveBack = (event: Event) => {
    event.preventDefault();
    const target = opener.current?.isConnected === true ? opener.current : document.getElementById("main");
    target?.focus();
  };
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <ModalBackdrop className="flex animate-rise flex-col items-center overflow-y-auto p-3 sm:p-6">
          <Radix.Content
            role={role}
            aria-modal
            onOpenAutoFocus={moveIn}
            onCloseAutoFocus={moveBack}
            onEscapeKeyDown={refuse}
            onPointerDownOutside={refuse}
            onInteractOutside={refuse}
            {...(description === undefined ? { "aria-describedby": undefined } : {})}
            className={cx(
              // Margins rather than alignment, so that a dialog taller than the screen can be scrolled to its top.
              "mt-auto w-full rounded-lg border border-line bg-surface shadow-float outline-none sm:mb-auto",
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
            {hasBody && <div className="px-5 pt-5 has-[>form:empty]:pt-0 sm:px-6">{children}</div>}
            <div
              data-footer
              className="flex flex-col-reverse gap-2 px-5 pt-6 pb-5 empty:pt-0 sm:flex-row sm:justify-end sm:px-6"
            >
              {footer}
            </div>
          </Radix.Content>
        </ModalBackdrop>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * The initial focus: a form's first field, or the dismiss button of a confirmation; otherwise Radix's default, the
 * first button.
 */
function firstControl(dialog: EventTarget | null, role: "dialog" | "alertdialog"): HTMLElement | null {
  if (!(dialog instanceof HTMLElement)) return null;
  const field = dialog.querySelector<HTMLElement>("form :is(input, select, textarea):not([hidden])");
  return field ?? (role === "alertdialog" ? dialog.querySelector<HTMLElement>("[data-footer] button") : null);
}

const widths = { sm: "max-w-md", md: "max-w-lg", lg: "max-w-3xl" };

/** The element to return focus to. A menu item is gone by then: its menu's button takes its place. */
function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role="menu"]');
  const opener = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : active;
  return opener instanceof HTMLElement ? opener : null;
}
