import { useMutation } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { api } from "../service/api.ts";
import { ButtonLink } from "../components/controls/button.tsx";
import { Callout } from "../components/states/callout.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { OperatorName } from "../components/text/operator-name.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";
import { SecondStep } from "../sign-in/second-step.tsx";

export default function Reset() {
  const token = useFragmentValue("token");
  return token === null ? <RequestLink /> : <ChoosePassword token={token} />;
}

function RequestLink() {
  const read = useSite();
  const { data: site } = read;
  const request = useMutation({ mutationFn: api.requestReset });
  if (site === undefined) return <LoadState query={read} lines={4} />;
  if (site.signIn === "oidc" || !site.canMail) {
    return (
      <>
        <FormHeading title="Reset your password">
          {site.signIn === "oidc" ? (
            "People sign in here with an identity provider. Change your password there."
          ) : (
            <>
              This service does not send email. Ask <OperatorName operator={site.operator} /> for a reset
              link; it works once.
            </>
          )}
        </FormHeading>
        <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
          Back to sign-in
        </ButtonLink>
      </>
    );
  }
  return (
    <>
      <FormHeading title="Reset your password">We’ll email you a link that works once.</FormHeading>
      {request.isSuccess ? (
        <Callout title="Check your email">
          If there is an account with this address, we sent a link to it.
        </Callout>
      ) : (
        <EntryForm
          submit="Send link"
          pending={request.isPending}
          error={request.error}
          onSubmit={({ email }) => request.mutate({ email })}
        />
      )}
      <FormAside>
        <Link href="/sign-in">Back to sign-in</Link>
      </FormAside>
    </>
  );
}

function ChoosePassword({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const enter = () => navigate("/app");
  const reset = useEntry(api.reset, enter);
  if (reset.step !== null) {
    return (
      <>
        <FormHeading title="Second step">Your new password is set. One more proof signs you in.</FormHeading>
        <SecondStep methods={reset.step} onEntered={enter} onBack={() => navigate("/sign-in")} />
      </>
    );
  }
  return (
    <>
      <FormHeading title="Choose a new password">You will be signed out everywhere else.</FormHeading>
      <EntryForm
        email={false}
        password="new-password"
        submit="Set password"
        pending={reset.isPending}
        error={reset.error}
        onSubmit={({ password }) => reset.mutate({ token, password })}
      />
      <FormAside>
        Link expired? <Link href="/sign-in">Back to sign-in</Link>
      </FormAside>
    </>
  );
}
