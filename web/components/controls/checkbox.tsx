/**
 * Checkbox and Switch, each with its label and an optional hint. A switch acts immediately; a checkbox with its form.
 */
import { useId, type ReactNode } from "react";
import { cx } from "../../cx.ts";

interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Checkbox({
  label,
  hint,
  checked,
  onChange,
  disabled,
  className,
}: SwitchProps & { disabled?: boolean; className?: string }) {
  const id = useId();
  return (
    <div className={cx("flex gap-2.5", className)}>
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-1 size-4 shrink-0 rounded-sm accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

export function Switch({ label, hint, checked, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-6">
      <div>
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onClick={() => onChange(!checked)}
        className="relative h-5.5 w-9.5 shrink-0 rounded-full border border-edge bg-sunken transition-colors aria-checked:border-accent aria-checked:bg-accent"
      >
        <span
          className={cx(
            "absolute top-0.5 left-0.5 size-4 rounded-full transition-all",
            checked ? "translate-x-4 bg-on-accent" : "bg-edge",
          )}
        />
      </button>
    </div>
  );
}
