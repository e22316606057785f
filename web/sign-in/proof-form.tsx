/**
 * Asks for one proof of who someone is, with a way to choose another: a password, a passkey, a code from an
 * authenticator app, or a recovery code.
 */
import { Fingerprint } from "lucide-react";
import { useState, type ReactNode } from "react";
import { passwordLength } from "../../src/core/bounds.js";
import type { FactorMethod } from "../../src/core/factors/second-step.js";
import { Button } from "../components/controls/button.tsx";
import { Field, Input, PasswordInput } from "../components/controls/field.tsx";
import { Form } from "../components/controls/form.tsx";
import { Callout } from "../components/states/callout.tsx";
import { fieldError, formError } from "../form-errors.ts";

export type ProofMethod = FactorMethod | "password";
type Typed = { password: string } | { code: string } | { recoveryCode: string };

interface ProofFormProps {
  /** Those that the account has, the preferred one first. */
  methods: readonly ProofMethod[];
  /** For password managers. */
  email?: string;
  submit: string;
  pending: boolean;
  error: Error | null;
  onTyped: (proof: Typed) => void;
  onPasskey: () => void;
}

export function ProofForm({ methods, email, submit, pending, error, onTyped, onPasskey }: ProofFormProps) {
  const [chosen, setChosen] = useState<ProofMethod | null>(null);
  const [text, setText] = useState("");
  const method = chosen ?? methods[0] ?? "password";
  const { field, label, hint, proof } = asks[method];
  const failure = formError(error, [field]);
  const input = { value: text, onValue: setText };
  return (
    <div className="flex flex-col gap-5">
      {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
      {method === "passkey" ? (
        <Button
          variant="primary"
          size="lg"
          icon={<Fingerprint />}
          pending={pending}
          className="w-full"
          onClick={onPasskey}
        >
          Use your passkey
        </Button>
      ) : (
        <Form className="flex flex-col gap-5" error={error} onSubmit={() => onTyped(proof(text))}>
          {email !== undefined && (
            <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          )}
          <Field key={method} label={label} hint={hint} error={fieldError(error, field)}>
            {method === "password" ? (
              <PasswordInput
                name="password"
                autoComplete="current-password"
                maxLength={passwordLength.max}
                {...input}
              />
            ) : (
              <Input
                name={field}
                autoComplete={method === "totp" ? "one-time-code" : "off"}
                inputMode={method === "totp" ? "numeric" : "text"}
                autoCapitalize="none"
                spellCheck={false}
                maxLength={method === "totp" ? 12 : 40}
                autoFocus
                className="font-mono"
                {...input}
              />
            )}
          </Field>
          <Button type="submit" variant="primary" size="lg" pending={pending} className="w-full">
            {submit}
          </Button>
        </Form>
      )}
      <Others
        methods={methods.filter((other) => other !== method)}
        onChoose={(other) => {
          setChosen(other);
          setText("");
        }}
      />
    </div>
  );
}

function Others({
  methods,
  onChoose,
}: {
  methods: readonly ProofMethod[];
  onChoose: (method: ProofMethod) => void;
}): ReactNode {
  if (methods.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      {methods.map((method) => (
        <Button key={method} variant="quiet" className="w-full" onClick={() => onChoose(method)}>
          {asks[method].instead}
        </Button>
      ))}
    </div>
  );
}

interface Ask {
  /** Its name in the request. */
  field: string;
  label: string;
  hint?: string;
  /** The button that leads to it. */
  instead: string;
  proof: (text: string) => Typed;
}

const asks: Record<ProofMethod, Ask> = {
  password: {
    field: "password",
    label: "Password",
    instead: "Use your password",
    proof: (password) => ({ password }),
  },
  totp: {
    field: "code",
    label: "Code",
    hint: "Six digits from your authenticator app.",
    instead: "Use a code from your app",
    proof: (code) => ({ code }),
  },
  recovery: {
    field: "recoveryCode",
    label: "Recovery code",
    hint: "One of the codes that you saved. Each works once.",
    instead: "Use a recovery code",
    proof: (recoveryCode) => ({ recoveryCode }),
  },
  passkey: {
    field: "passkey",
    label: "Passkey",
    instead: "Use a passkey",
    proof: (code) => ({ code }),
  },
};
