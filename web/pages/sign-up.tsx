import { useMutation } from "@tanstack/react-query";
import { Link, Redirect } from "wouter";
import type { Site } from "../../src/protocol/dashboard/api.js";
import { ButtonLink } from "../components/controls/button.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { ProviderButtons, Or, ProviderChoice } from "../components/controls/provider-buttons.tsx";
import { Callout } from "../components/states/callout.tsx";
import { LoadState } from "../components/states/loaded.tsx";
import { OperatorName } from "../components/text/operator-name.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { api } from "../service/api.ts";
import { useSite } from "../service/queries.ts";

export default function SignUp() {
  const invite = useFragmentValue("invite");
  const email = useFragmentValue("email");
  const read = useSite();
  const { data: site } = read;
  if (site === undefined) return <LoadState query={read} lines={4} />;
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

/** The identity providers that someone with an invitation can choose. It is sent in a body: addresses end up in logs. */
interface InvitedProvidersProps {
  providers: Site["providers"];
  invite: string;
  /** Whether there is another way above them. */
  isSecond: boolean;
}

function InvitedProviders({ providers, invite, isSecond }: InvitedProvidersProps) {
  const start = useMutation({
    mutationFn: (provider: string) => api.signUpInvited({ provider, invite }),
    onSuccess: ({ url }) => location.assign(url),
    gcTime: 0,
  });
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {isSecond && <Or />}
      {start.error !== null && <Callout tone="bad">{start.error.message}</Callout>}
      <ProviderChoice
        providers={providers}
        isSecond={isSecond}
        pending={start.isPending ? start.variables : undefined}
        onChoose={start.mutate}
      />
    </div>
  );
}
