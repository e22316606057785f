/**
 * A dialog around one form: its fields, what was refused, and the buttons that cancel and submit. Once there is a
 * `result`, which is shown this once, it takes the form's place, and only its own button closes the dialog.
 */
import { useId, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { Form, FormFailure } from "../controls/form.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";

interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "size" | "role" | "onClose"> {
  /** What submitting does; see useChange. */
  change: { isPending: boolean; error: Error | null; mutate: () => void };
  /** Before that: unless the input is wrong. */
  onSubmit?: () => void;
  /** The label of the button, by default the title. It is disabled until there is something to submit. */
  submit?: string;
  disabled?: boolean;
  tone?: "primary" | "danger";
  /** The dismiss button's label. */
  dismiss?: string;
  /** Before the two buttons. */
  aside?: ReactNode;
  result?: ReactNode;
  /** The layout of the fields. */
  className?: string;
  children?: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { change, onSubmit = () => change.mutate(), submit = props.title, disabled, ...others } = props;
  const { tone = "primary", dismiss = "Cancel", aside, result, children, ...rest } = others;
  const { className = "flex flex-col gap-5", ...frame } = rest;
  const { onClose } = frame;
  const id = useId();

  if (result !== undefined) {
    return (
      <Dialog
        {...frame}
        dismissable={false}
        footer={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        {result}
      </Dialog>
    );
  }
  return (
    <Dialog
      {...frame}
      dismissable={!change.isPending}
      footer={
        <>
          {aside}
          <Button onClick={onClose} disabled={change.isPending}>
            {dismiss}
          </Button>
          <Button type="submit" form={id} variant={tone} pending={change.isPending} disabled={disabled}>
            {submit}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        className={className}
        error={change.error}
        onSubmit={() => {
          if (!change.isPending) onSubmit();
        }}
      >
        {children}
        <FormFailure />
      </Form>
    </Dialog>
  );
}
