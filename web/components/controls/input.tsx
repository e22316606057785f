/** Text input, and a password input that can be revealed. Inside a Field they are labelled by it. */
import { Eye, EyeOff } from "lucide-react";
import { useState, type ComponentProps } from "react";
import { cx } from "../../cx.ts";
import { controlLook, useFieldControl } from "./field.tsx";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...useFieldControl()} {...rest} className={cx(controlLook, "h-10 text-base", className)} />;
}

export function PasswordInput({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
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
