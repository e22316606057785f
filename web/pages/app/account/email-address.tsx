/** Changing the address. With a mail server, the present and the new address confirm by a link each. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { longest } from "../../../../src/core/bounds.js";
import type { EmailChangeView } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/breakable.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Form, FormEnd } from "../../../components/controls/form.tsx";
import { Time } from "../../../components/text/time.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { useChange, useReadAgain } from "../../../hooks/use-change.ts";
import { queries, useSite } from "../../../service/queries.ts";

export function EmailAddress({ email: present }: { email: string }) {
  const client = useQueryClient();
  const { data: site } = useSite();
  const { data } = useQuery(queries.emailChange);
  const [email, setEmail] = useState("");
  const readAgain = useReadAgain();
  const change = useChange(() => api.changeEmail({ email }), {
    onDone: async (view) => {
      setEmail("");
      client.setQueryData(queries.emailChange.queryKey, view);
      await readAgain([queries.site.queryKey]);
      if (view.change === null) toast("Address changed");
    },
  });
  const pending = data?.change ?? null;
  return (
    <Card
      title="Email address"
      description={
        site?.canMail === true
          ? "To change it, both addresses confirm: first the current one, then the new one."
          : "This service does not send email, so addresses are not verified."
      }
    >
      {pending !== null && <PendingChange change={pending} present={present} />}
      <Form className="flex max-w-md flex-col gap-5" error={change.error} onSubmit={() => change.mutate()}>
        <Field label="New address" name="email">
          <Input
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={longest.email}
            value={email}
            onValue={setEmail}
          />
        </Field>
        <FormEnd change={change} disabled={email.trim() === ""}>
          Change address
        </FormEnd>
      </Form>
    </Card>
  );
}

interface PendingChangeProps {
  change: NonNullable<EmailChangeView["change"]>;
  present: string;
}

function PendingChange({ change: { email, waitsFor, expiresAt }, present }: PendingChangeProps) {
  const client = useQueryClient();
  const cancel = useChange(() => api.cancelEmailChange(), {
    onDone: (view) => {
      client.setQueryData(queries.emailChange.queryKey, view);
      toast("Change cancelled");
      document.getElementById("main")?.focus();
    },
    toastsErrors: true,
  });
  return (
    <div role="status" className="mb-6">
      <Callout title="Waiting for confirmation">
        <p>
          To change to <Address email={email} className="font-medium" />, open the link that was mailed to{" "}
          <Address email={waitsFor === "present" ? present : email} className="font-medium" />.{" "}
          {waitsFor === "present" ? "The new address then gets a link, too." : "It is the last step."} It
          expires <Time at={expiresAt} />.
        </p>
        <Button size="sm" className="mt-3" pending={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel change
        </Button>
      </Callout>
    </div>
  );
}
