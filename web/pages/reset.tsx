import { useMutation } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { api } from "../api.ts";
import { Callout } from "../components/callout.tsx";
import { EntryForm } from "../components/entry-form.tsx";
import { FormAside, FormHeading } from "../components/form-heading.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../queries.ts";

export default function Reset() {
  const token = useFragmentValue("token");
  return token === null ? <RequestLink /> : <ChoosePassword token={token} />;
}

function RequestLink() {
  const { data: site } = useSite();
  const request = useMutation({ mutationFn: api.requestReset });
  return (
    <>
      <FormHeading title="Reset your password">
        {site?.canMail === true
          ? "We send a link that works once."
          : "The operator makes a link that works once and hands it to you."}
      </FormHeading>
      {request.isSuccess ? (
        <Callout title="Your request has arrived">
          {site?.canMail === true
            ? "If there is an account with this address, a link is on its way to it."
            : `This service sends no mail. Ask ${site?.ownerName ?? "the operator"} for your reset link.`}
        </Callout>
      ) : (
        <EntryForm
          submit="Ask for a link"
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
  const reset = useEntry(api.reset, () => navigate("/app"));
  return (
    <>
      <FormHeading title="Choose a new password">All other sessions of your account end.</FormHeading>
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
