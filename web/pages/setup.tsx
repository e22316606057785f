import { Redirect } from "wouter";
import { api } from "../service/api.ts";
import { ButtonLink } from "../components/controls/button.tsx";
import { Callout } from "../components/states/callout.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { ErrorState } from "../components/states/error-state.tsx";
import { FormHeading } from "../components/controls/form-heading.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";

export default function Setup() {
  const token = useFragmentValue("token");
  const { data: site, error, refetch } = useSite();
  const setup = useEntry(api.setup);
  if (site === undefined) {
    return error === null ? <SkeletonLines lines={4} /> : <ErrorState error={error} onRetry={refetch} />;
  }
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
        Create the admin account. It manages accounts, plans and engines.
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
          onSubmit={({ email, password }) => setup.mutate({ token, email, password })}
        />
      )}
    </>
  );
}
