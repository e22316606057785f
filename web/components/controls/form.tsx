/**
 * A form that shows errors at their fields, found by the page or reported by the server. The focus moves to the
 * first of them. An error disappears when its field is edited, and comes back with the next attempt if it still
 * applies.
 */
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { fieldError, formError } from "../../form-errors.ts";
import { Callout } from "../states/callout.tsx";
import { Button } from "./button.tsx";

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
  const [names, setNames] = useState<readonly string[]>([]);
  const show = useCallback((name: string) => {
    setNames((others) => [...others, name]);
    return () => setNames((others) => others.filter((other) => other !== name));
  }, []);
  const context = useMemo(() => ({ verdict, names, show }), [verdict, names, show]);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [verdict]);

  return (
    <FormContext value={context}>
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
    </FormContext>
  );
}

interface FormState {
  /** A new object with every attempt and every response. */
  verdict: { error: Error | null };
  /** The fields that show their own errors. */
  names: readonly string[];
  /** Adds one, until the function that it returns is called. */
  show: (name: string) => () => void;
}

const FormContext = createContext<FormState | null>(null);

/** Inside a form: what the server refused and no field shows. */
export function FormFailure() {
  const form = use(FormContext);
  const failure = form === null ? undefined : formError(form.verdict.error, form.names);
  if (failure === undefined) return null;
  return (
    <Callout tone="bad" className="col-span-full">
      {failure}
    </Callout>
  );
}

interface FormEndProps {
  change: { isPending: boolean };
  disabled?: boolean;
  children: string;
}

/** What was refused, and the button that submits a form within a page. */
export function FormEnd({ change, disabled = false, children }: FormEndProps) {
  return (
    <>
      <FormFailure />
      <Button type="submit" pending={change.isPending} disabled={disabled} className="self-start">
        {children}
      </Button>
    </>
  );
}

/**
 * A field's error until the field is edited: spread `watch` onto the element around its controls. With its name in the
 * request, what the server says of it is shown, too.
 */
export function useErrorUntilEdited(found: string | undefined, name: string | undefined) {
  const form = use(FormContext);
  const [editedSince, setEditedSince] = useState<object | null>(null);
  const verdict = form?.verdict ?? null;
  const show = form?.show;
  useEffect(() => (name === undefined ? undefined : show?.(name)), [show, name]);
  const watch = { onChange: () => setEditedSince(verdict) };
  const error = found ?? (name === undefined ? undefined : fieldError(verdict?.error, name));
  return { error: verdict !== null && editedSince === verdict ? undefined : error, watch };
}
