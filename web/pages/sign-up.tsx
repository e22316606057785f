import { Link, Redirect } from "wouter";
import type { Site } from "../../src/protocol/dashboard/api.js";
import { api } from "../service/api.ts";
import { ButtonLink } from "../components/controls/button.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { ErrorState } from "../components/states/error-state.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { ProviderButtons } from "../components/controls/provider-buttons.tsx";
import { InvitedProviders } from "../sign-in/invited-providers.tsx";
import { OperatorName } from "../components/text/operator-name.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";

export default function SignUp() {
  const invite = useFragmentValue("invite");
  const email = useFragmentValue("email");
  const { data: site, error, refetch } = useSite();
  if (site === undefined) {
    return error === null ? <SkeletonLines lines={4} /> : <ErrorState error={error} onRetry={refetch} />;
  }
  if (site.me !== null) return <Redirect to="/app" replace />;
  // An invitation lets any of them create the account.
  const isInvited = invite !== null && site.signUp !== "closed";
  const providers = site.providers.filter(({ signsUp }) => signsUp || isInvited);
  if (providers.length > 0 && (site.signIn === "oidc" || (site.signUp !== "open" && !isInvited))) {
    return <ByProvider providers={providers} invite={isInvited ? invite : null} />;
  }
  if (site.signUp === "closed" || site.signIn === "oidc") {
    return (
      <Closed title="Sign-up is closed">
        Accounts here are created by <OperatorName operator={site.operator} />. If you have one, sign in.
      </Closed>
    );
  }
  if (site.signUp === "invite" && invite === null) {
    return (
      <Closed title="Sign-up is by invitation">
        Open the link in your invitation to create an account. To get one, ask{" "}
        <OperatorName operator={site.operator} />.
      </Closed>
    );
  }
  return <Form invite={invite} email={email} providers={providers} />;
}

/** The first sign-in with a provider creates the account. */
function ByProvider({ providers, invite }: Pick<FormProps, "providers" | "invite">) {
  return (
    <>
      <FormHeading title="Create your account">
        {invite === null ? "Sign in" : "You have been invited. Sign in"} with your identity provider.
      </FormHeading>
      <Providers providers={providers} invite={invite} isSecond={false} />
      <FormAside>
        Have an account? <Link href="/sign-in">Sign in</Link>
      </FormAside>
    </>
  );
}

function Providers({
  providers,
  invite,
  isSecond,
}: Pick<FormProps, "providers" | "invite"> & { isSecond: boolean }) {
  return invite === null ? (
    <ProviderButtons providers={providers} next="/app" isSecond={isSecond} />
  ) : (
    <InvitedProviders providers={providers} invite={invite} isSecond={isSecond} />
  );
}

interface FormProps {
  invite: string | null;
  email: string | null;
  providers: Site["providers"];
}

function Form({ invite, email: invited, providers }: FormProps) {
  const signUp = useEntry(api.signUp);
  return (
    <>
      <FormHeading title="Create your account">
        {invite === null ? "Free, no payment card." : "You have been invited."}
      </FormHeading>
      <EntryForm
        email={invited === null ? true : { initial: invited, hint: "Your invitation is for this address." }}
        password="new-password"
        submit="Create account"
        pending={signUp.isPending}
        error={signUp.error}
        onSubmit={({ email, password }) =>
          signUp.mutate(invite === null ? { email, password } : { email, password, invite })
        }
      />
      <Providers providers={providers} invite={invite} isSecond />
      <FormAside>
        We store your email address and a hash of your password.{" "}
        <Link href="/docs/privacy">What we keep</Link>
      </FormAside>
      <FormAside>
        Have an account? <Link href="/sign-in">Sign in</Link>
      </FormAside>
    </>
  );
}

function Closed({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <>
      <FormHeading title={title}>{children}</FormHeading>
      <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
        Sign in
      </ButtonLink>
    </>
  );
}
