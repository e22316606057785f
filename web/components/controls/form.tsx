/**
 * A form that shows errors at their fields, found by the page or reported by the server. The focus moves to the
 * first of them. An error disappears when its field is edited, and comes back with the next attempt if it still
 * applies.
 */
import { createContext, use, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

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
  const verdict = useMemo(() => ({ attempts, error }), [attempts, error]);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [verdict]);
  return (
    <Verdict value={verdict}>
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
    </Verdict>
  );
}

/** A new object with every attempt and every response; null outside a form. */
const Verdict = createContext<object | null>(null);

/** A field's error until the field is edited: spread `watch` onto the element around its controls. */
export function useErrorUntilEdited(error: string | undefined) {
  const verdict = use(Verdict);
  const [editedSince, setEditedSince] = useState<object | null>(null);
  const watch = { onChange: () => setEditedSince(verdict) };
  return { error: verdict !== null && editedSince === verdict ? undefined : error, watch };
}
