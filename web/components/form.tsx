/**
 * A form whose wrong entries are named at their fields, by the page at once or by the server in its answer. The focus
 * goes to the first of them.
 */
import { useEffect, useRef, useState, type ReactNode } from "react";

interface FormProps {
  /** For a submit button outside, as in a dialog's footer. */
  id?: string;
  className: string;
  /** What the server said last. */
  error: Error | null;
  onSubmit: () => void;
  children: ReactNode;
}

export function Form({ error, onSubmit, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempts, error]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAttempts(attempts + 1);
        onSubmit();
      }}
      {...rest}
    />
  );
}
