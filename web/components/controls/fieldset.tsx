/** Controls that belong together under one legend, and what is wrong with them. */
import { useId, type ReactNode } from "react";
import { useErrorUntilEdited } from "./form.tsx";

interface FieldsetProps {
  legend: string;
  /** In the request. */
  name: string;
  children: ReactNode;
}

export function Fieldset({ legend, name, children }: FieldsetProps) {
  const { error, watch } = useErrorUntilEdited(undefined, name);
  const errorId = useId();
  return (
    <fieldset {...watch} aria-describedby={error === undefined ? undefined : errorId}>
      <legend className="text-sm font-medium">{legend}</legend>
      <div className="mt-1.5 flex flex-col gap-3">{children}</div>
      {error !== undefined && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
