/**
 * The form that sign-up, sign-in, setup and reset share: an email address, a password, or both. Validates in the
 * browser first, then shows the server's error at the field it names.
 */
import { useState, type ReactNode } from "react";
import { longest, passwordLength } from "../../../src/core/bounds.js";
import { Button } from "./button.tsx";
import { Field, Input, PasswordInput } from "./field.tsx";
import { Form, FormFailure } from "./form.tsx";

interface Credentials {
  email: string;
  password: string;
}

interface EntryFormProps {
  /** Whether to ask for it, its initial value, or its fixed value. */
  email?: boolean | { initial: string; hint?: string } | { fixed: string };
  /** `new-password` enforces the minimum length. */
  password?: "current-password" | "new-password";
  passwordAside?: ReactNode;
  /** The browser may offer passkeys where the email address is typed. */
  withPasskeys?: boolean;
  /** More fields. */
  more?: ReactNode;
  submit: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (credentials: Credentials) => void;
}

export function EntryForm({
  email: emailKind = true,
  password: passwordKind,
  passwordAside,
  withPasskeys = false,
  more,
  submit,
  pending,
  error,
  onSubmit,
}: EntryFormProps) {
  const fixedEmail = typeof emailKind === "object" && "fixed" in emailKind ? emailKind.fixed : null;
  const known = typeof emailKind === "object" && "initial" in emailKind ? emailKind : null;
  const withEmail = emailKind !== false && fixedEmail === null;
  const [email, setEmail] = useState(fixedEmail ?? known?.initial ?? "");
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);

  const emailError = withEmail && !/^\S+@\S+$/.test(email.trim()) ? "Enter an email address." : undefined;
  const passwordError = passwordKind === undefined ? undefined : errorOf(password, passwordKind);
  return (
    <Form
      className="flex flex-col gap-5"
      error={error}
      onSubmit={() => {
        setChecked(true);
        if (emailError === undefined && passwordError === undefined) {
          onSubmit({ email: email.trim(), password });
        }
      }}
    >
      <FormFailure />
      {/* Password managers look for the name that goes with the password. */}
      {fixedEmail !== null && (
        <input type="text" name="username" autoComplete="username" value={fixedEmail} readOnly hidden />
      )}
      {withEmail && (
        <Field label="Email" hint={known?.hint} name="email" error={checked ? emailError : undefined}>
          <Input
            name="email"
            maxLength={longest.email}
            type="email"
            autoComplete={nameKind(passwordKind, withPasskeys)}
            autoCapitalize="none"
            spellCheck={false}
            required
            value={email}
            onValue={setEmail}
          />
        </Field>
      )}
      {passwordKind !== undefined && (
        <Field
          label={passwordKind === "new-password" && !withEmail ? "New password" : "Password"}
          aside={passwordAside}
          hint={passwordKind === "new-password" ? `At least ${passwordLength.min} characters.` : undefined}
          name="password"
          error={checked ? passwordError : undefined}
        >
          <PasswordInput
            name="password"
            autoComplete={passwordKind}
            required
            maxLength={passwordLength.max}
            value={password}
            onValue={setPassword}
          />
        </Field>
      )}
      {more}
      <Button type="submit" variant="primary" size="lg" pending={pending} className="mt-1 w-full">
        {submit}
      </Button>
    </Form>
  );
}

/** The word about passkeys must come last. */
function nameKind(password: EntryFormProps["password"], withPasskeys: boolean): string {
  if (password !== "current-password") return "email";
  return withPasskeys ? "username webauthn" : "username";
}

function errorOf(password: string, kind: "current-password" | "new-password"): string | undefined {
  if (password === "") return "Enter a password.";
  if (kind === "new-password" && password.length < passwordLength.min) {
    return `Use at least ${passwordLength.min} characters; this has ${password.length}.`;
  }
  return undefined;
}
