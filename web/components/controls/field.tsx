/**
 * A labelled control: `<Field label="Name" hint="…" error={…}><Input /></Field>`. The control inside takes its
 * id, description and validity from here, so label, hint and error are always connected.
 */
import { Eye, EyeOff, ChevronDown } from "lucide-react";
import { createContext, use, useId, type ReactNode, useState, type ComponentProps } from "react";
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
  /** In the request: the form's error is shown here if it is about this. */
  name?: string;
  /** What the page finds wrong; comes before that. */
  error?: string | undefined;
  /** At the right of the label: a link, "optional". */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Field({ label, hint, name, error: found, aside, className, children }: FieldProps) {
  const id = useId();
  const { error, watch } = useErrorUntilEdited(found, name);
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

/** A text control tells its new text, besides the events of its element. */
export interface OnValue {
  onValue?: (value: string) => void;
}

const onChangeOf = (onValue: OnValue["onValue"]) =>
  onValue && { onChange: (event: { target: { value: string } }) => onValue(event.target.value) };

/** For names and addresses that no browser should complete or correct. */
export const unaided = { autoComplete: "off", spellCheck: false } as const;
export const verbatim = { ...unaided, autoCapitalize: "none" } as const;

/** The look that text inputs, selects and text areas share. */
export const controlLook =
  "w-full rounded-md border border-edge bg-surface px-3 text-ink transition-colors placeholder:text-muted hover:border-ink focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad";

/** Text input, and a password input that can be revealed. Inside a Field they are labelled by it. */
type InputProps = ComponentProps<"input"> & OnValue;

export function Input({ className, onValue, ...rest }: InputProps) {
  return (
    <input
      {...useFieldControl()}
      {...onChangeOf(onValue)}
      {...rest}
      className={cx(controlLook, "h-10 text-base", className)}
    />
  );
}

export function PasswordInput({ className, ...rest }: Omit<InputProps, "type">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input
        spellCheck={false}
        autoCapitalize="none"
        {...rest}
        type={shown ? "text" : "password"}
        className={cx("pr-11", className)}
      />
      <button
        type="button"
        aria-label={shown ? "Hide password" : "Show password"}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 right-1 flex w-9 items-center justify-center rounded-sm text-muted hover:text-ink"
      >
        <Icon className="size-4" />
      </button>
    </div>
  );
}

/** The browser's native select, styled: works with keyboards, phones and screen readers as it is. */
interface SelectProps extends Omit<ComponentProps<"select">, "children" | "size">, OnValue {
  options: readonly { value: string; label: string }[];
  size?: "sm" | "md";
}

export function Select({ options, size = "md", className, onValue, ...rest }: SelectProps) {
  return (
    <div className={cx("relative", className)}>
      <select
        {...useFieldControl()}
        {...onChangeOf(onValue)}
        {...rest}
        className={cx(
          controlLook,
          "appearance-none truncate pr-9",
          size === "md" ? "h-10 text-base" : "h-9 text-sm",
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
        aria-hidden
      />
    </div>
  );
}

/** Multi-line text; grows with its content in browsers that support it. */
export function Textarea({ className, onValue, ...rest }: ComponentProps<"textarea"> & OnValue) {
  return (
    <textarea
      rows={4}
      {...useFieldControl()}
      {...onChangeOf(onValue)}
      {...rest}
      className={cx(controlLook, "field-sizing-content min-h-20 py-2 text-base", className)}
    />
  );
}
