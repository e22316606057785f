/**
 * The form that sign-up, sign-in, setup and reset share: an email address, a password, or both. Checks what
 * can be checked here, then shows the server's answer at the field it names.
 */
import { useState, type ReactNode } from "react";
import { longest, passwordLength } from "../../src/protocol/dashboard-bounds.js";
import { fieldError, formError } from "../form-errors.ts";
import { Button } from "./button.tsx";
import { Callout } from "./callout.tsx";
import { Field } from "./field.tsx";
import { Form } from "./form.tsx";
import { Input, PasswordInput } from "./input.tsx";

export interface Credentials {
  email: string;
  password: string;
}

interface EntryFormProps {
  /** Which fields are shown; `new-password` holds the password to its length. */
  email?: boolean;
  password?: "current-password" | "new-password";
  passwordAside?: ReactNode;
  submit: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (credentials: Credentials) => void;
}

export function EntryForm({
  email: withEmail = true,
  password: passwordKind,
  passwordAside,
  submit,
  pending,
  error,
  onSubmit,
}: EntryFormProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);

  const emailFault = withEmail && !/^\S+@\S+$/.test(email.trim()) ? "Enter an email address." : undefined;
  const passwordFault = passwordKind === undefined ? undefined : faultOf(password, passwordKind);
  const shown = [...(withEmail ? ["email"] : []), ...(passwordKind === undefined ? [] : ["password"])];
  const failure = formError(error, shown);

  return (
    <Form
      className="flex flex-col gap-5"
      error={error}
      onSubmit={() => {
        setChecked(true);
        if (emailFault === undefined && passwordFault === undefined) {
          onSubmit({ email: email.trim(), password });
        }
      }}
    >
      {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      {withEmail && (
        <Field label="Email" error={checked ? (emailFault ?? fieldError(error, "email")) : undefined}>
          <Input
            name="email"
            maxLength={longest.email}
            type="email"
            autoComplete={passwordKind === "current-password" ? "username" : "email"}
            autoCapitalize="none"
            spellCheck={false}
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      )}
      {passwordKind !== undefined && (
        <Field
          label={passwordKind === "new-password" && !withEmail ? "New password" : "Password"}
          aside={passwordAside}
          hint={passwordKind === "new-password" ? `At least ${passwordLength.min} characters.` : undefined}
          error={checked ? (passwordFault ?? fieldError(error, "password")) : undefined}
        >
          <PasswordInput
            name="password"
            autoComplete={passwordKind}
            required
            maxLength={passwordLength.max}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      )}
      <Button type="submit" variant="primary" size="lg" pending={pending} className="mt-1 w-full">
        {submit}
      </Button>
    </Form>
  );
}

function faultOf(password: string, kind: "current-password" | "new-password"): string | undefined {
  if (password === "") return "Enter a password.";
  if (kind === "new-password" && password.length < passwordLength.min) {
    return `Use at least ${passwordLength.min} characters; this has ${password.length}.`;
  }
  return undefined;
}
