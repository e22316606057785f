/** Where a sign-in with a provider leads whose address has an account already: its password links the two, once. */
import { useQuery } from "@tanstack/react-query";
import { Link, Redirect, useLocation } from "wouter";
import { ButtonLink } from "../components/controls/button.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { api } from "../service/api.ts";
import { queries, useSite } from "../service/queries.ts";

export default function JoinAccount() {
  const [, navigate] = useLocation();
  const { data: site } = useSite();
  const read = useQuery(queries.pendingJoin);
  const { data } = read;
  const join = useEntry(api.join, () => navigate("/app", { replace: true }));
  if (site?.me != null) return <Redirect to="/app" replace />;
  if (data === undefined) return <LoadState query={read} lines={4} />;
  if (data.join === null) {
    return (
      <>
        <FormHeading title="Nothing to link">
          This has expired, or was already done. Sign in again.
        </FormHeading>
        <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
          Sign in
        </ButtonLink>
      </>
    );
  }
  const { email, provider } = data.join;
  return (
    <>
      <FormHeading title="Link your account">
        There is an account for <span className="wrap-anywhere text-ink">{email}</span>. Enter its password
        once, and sign in with {provider} from now on.
      </FormHeading>
      <EntryForm
        email={{ fixed: email }}
        password="current-password"
        submit="Link and sign in"
        pending={join.isPending}
        error={join.error}
        onSubmit={({ password }) => join.mutate({ password })}
      />
      <FormAside>
        Not your account? <Link href="/sign-in">Sign in another way</Link>
      </FormAside>
    </>
  );
}
