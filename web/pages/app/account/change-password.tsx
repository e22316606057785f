import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { passwordLength } from "../../../../src/core/bounds.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { PasswordInput } from "../../../components/controls/input.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import { useHasPassword } from "../../../hooks/use-has-password.ts";
import { queries } from "../../../service/queries.ts";

export function ChangePassword({ email }: { email: string }) {
  const [next, setNext] = useState("");
  const client = useQueryClient();
  const hasPassword = useHasPassword();
  const change = useMutation({
    mutationFn: () => api.changePassword({ next }),
    onSuccess: async () => {
      setNext("");
      toast(`Password ${hasPassword ? "changed" : "set"}. Other browsers were signed out.`);
      await client.invalidateQueries({ queryKey: queries.identities.queryKey });
    },
    gcTime: 0,
  });
  const failure = formError(change.error, ["next"]);
  return (
    <Card
      title="Password"
      description={
        hasPassword
          ? "Changing it signs you out of all other browsers."
          : "You have none: you sign in with an identity provider. With one you can sign in without it, too."
      }
    >
      <Form
        className="flex max-w-md flex-col gap-5"
        error={change.error}
        onSubmit={() => {
          change.mutate();
        }}
      >
        {/* Password managers look for the name that goes with the new password. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          label="New password"
          hint={`At least ${passwordLength.min} characters.`}
          error={fieldError(change.error, "next")}
        >
          <PasswordInput
            autoComplete="new-password"
            maxLength={passwordLength.max}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        </Field>
        {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        <Button type="submit" pending={change.isPending} disabled={next === ""} className="self-start">
          {hasPassword ? "Change password" : "Set password"}
        </Button>
      </Form>
    </Card>
  );
}
