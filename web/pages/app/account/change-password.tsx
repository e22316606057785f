import { useMutation } from "@tanstack/react-query";
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

export function ChangePassword({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => api.changePassword({ current, next }),
    onSuccess: () => {
      setCurrent("");
      setNext("");
      toast("Password changed. Other browsers were signed out.");
    },
    gcTime: 0,
  });
  const failure = formError(change.error, ["current", "next"]);
  return (
    <Card title="Password" description="Changing it signs you out of all other browsers.">
      <Form
        className="flex max-w-md flex-col gap-5"
        error={change.error}
        onSubmit={() => {
          change.mutate();
        }}
      >
        {/* Password managers look for the name that goes with the new password. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field label="Current password" error={fieldError(change.error, "current")}>
          <PasswordInput
            autoComplete="current-password"
            maxLength={passwordLength.max}
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
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
        <Button
          type="submit"
          pending={change.isPending}
          disabled={current === "" || next === ""}
          className="self-start"
        >
          Change password
        </Button>
      </Form>
    </Card>
  );
}
