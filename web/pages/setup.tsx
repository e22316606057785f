import { useState } from "react";
import { Redirect } from "wouter";
import { api } from "../service/api.ts";
import { ButtonLink } from "../components/controls/button.tsx";
import { Callout } from "../components/states/callout.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { FormHeading } from "../components/controls/form-heading.tsx";
import { OperatorFields } from "../components/controls/operator-fields.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";

export default function Setup() {
  const token = useFragmentValue("token");
  const read = useSite();
  const { data: site } = read;
  const setup = useEntry(api.setup);
  const [operator, setOperator] = useState({ name: "", contact: "" });
  if (site === undefined) return <LoadState query={read} lines={4} />;
  if (site.me !== null) return <Redirect to="/app" replace />;
  if (!site.needsSetup) {
    return (
      <>
        <FormHeading title="Setup is complete">The admin account already exists.</FormHeading>
        <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
          Sign in
        </ButtonLink>
      </>
    );
  }
  return (
    <>
      <FormHeading title="Welcome to Sotto">
        Create the admin account, and say who runs this service. Both can be changed later.
      </FormHeading>
      {token === null ? (
        <Callout tone="warn" title="You need the setup link">
          The service printed it when it started: an address that ends in{" "}
          <code className="font-mono">/setup#token=…</code>. Open it in this browser.
        </Callout>
      ) : (
        <EntryForm
          password="new-password"
          submit="Create admin account"
          pending={setup.isPending}
          error={setup.error}
          more={
            <OperatorFields
              draft={
                site.operator.isNameConfigured ? { ...operator, name: site.operator.name ?? "" } : operator
              }
              onChange={setOperator}
              isNameConfigured={site.operator.isNameConfigured}
            />
          }
          onSubmit={({ email, password }) => setup.mutate({ token, email, password, ...operator })}
        />
      )}
    </>
  );
}
