import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { passwordLength } from "../../../../src/core/bounds.js";
import { Field, PasswordInput } from "../../../components/controls/field.tsx";
import { Form, FormEnd } from "../../../components/controls/form.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";

export function ChangePassword({ email }: { email: string }) {
  const [next, setNext] = useState("");
  const hasPassword = useHasPassword();
  const change = useChange(() => api.changePassword({ next }), {
    done: `Password ${hasPassword ? "changed" : "set"}. Other browsers were signed out.`,
    onDone: () => setNext(""),
    reads: [queries.identities.queryKey],
  });
  return (
    <Card
      title="Password"
      description={
        hasPassword
          ? "Changing it signs you out of all other browsers."
          : "You have none: you sign in with an identity provider. With one you can sign in without it, too."
      }
    >
      <Form className="flex max-w-md flex-col gap-5" error={change.error} onSubmit={() => change.mutate()}>
        {/* Password managers look for the name that goes with the new password. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field label="New password" hint={`At least ${passwordLength.min} characters.`} name="next">
          <PasswordInput
            autoComplete="new-password"
            maxLength={passwordLength.max}
            value={next}
            onValue={setNext}
          />
        </Field>
        <FormEnd change={change} disabled={next === ""}>
          {hasPassword ? "Change password" : "Set password"}
        </FormEnd>
      </Form>
    </Card>
  );
}

/** False for an account that is signed in to with identity providers only; until it is known, true. */
function useHasPassword(): boolean {
  return useQuery(queries.identities).data?.hasPassword ?? true;
}
