/**
 * A labelled control: `<Field label="Name" hint="…" error={…}><Input /></Field>`. The control inside takes its
 * id, description and validity from here, so label, hint and error are always connected.
 */
import { createContext, use, useId, type ReactNode } from "react";
import { cx } from "../../cx.ts";
import { useErrorUntilEdited } from "./form.tsx";

interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

const FieldContext = createContext<ControlProps | null>(null);

interface FieldProps {
  label: ReactNode;
  /** Shown under the control, until an error takes its place. */
  hint?: ReactNode;
  error?: string | undefined;
  /** At the right of the label: a link, "optional". */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Field({ label, hint, error: current, aside, className, children }: FieldProps) {
  const id = useId();
  const { error, watch } = useErrorUntilEdited(current);
  const note = error ?? hint;
  const noteId = `${id}-note`;
  const hasNote = note !== undefined && note !== null;
  return (
    <div {...watch} className={cx("flex flex-col gap-1.5", className)}>
      <div className="flex items-baseline justify-between gap-4 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {aside !== undefined && <span className="text-muted">{aside}</span>}
      </div>
      <FieldContext
        value={{
          id,
          "aria-describedby": hasNote ? noteId : undefined,
          "aria-invalid": error === undefined ? undefined : true,
        }}
      >
        {children}
      </FieldContext>
      {hasNote && (
        <p
          id={noteId}
          role={error === undefined ? undefined : "alert"}
          className={cx("text-sm wrap-anywhere", error === undefined ? "text-muted" : "text-bad")}
        >
          {note}
        </p>
      )}
    </div>
  );
}

/** What a control inside a Field spreads onto its element; nothing outside one. */
export function useFieldControl(): ControlProps | object {
  return use(FieldContext) ?? {};
}

/** The look that text inputs, selects and text areas share. */
export const controlLook =
  "w-full rounded-md border border-edge bg-surface px-3 text-ink transition-colors placeholder:text-muted hover:border-ink focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad";
