import { Fingerprint } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link, Redirect, useLocation, useSearchParams } from "wouter";
import { localPath } from "../../src/protocol/pages/local-path.js";
import { api } from "../service/api.ts";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { Button, ButtonLink } from "../components/controls/button.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { ProviderButtons } from "../components/controls/provider-buttons.tsx";
import { Callout } from "../components/states/callout.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { useSite } from "../service/queries.ts";
import { SecondStep } from "../sign-in/second-step.tsx";
import { usePasskeySignIn } from "../sign-in/use-passkey-sign-in.ts";
import { problemText } from "./sign-in-problem.ts";

export default function SignIn() {
  const token = useFragmentValue("token");
  return token === null ? <ByChoice /> : <ByLink token={token} />;
}

/** The page that `sotto open` leads to: signs in at once, whoever was signed in before. */
function ByLink({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const { mutate, error } = useEntry(api.signInByLink, () => navigate("/admin", { replace: true }));
  const isSent = useRef(false);
  useEffect(() => {
    // The link works once, and React may run this twice.
    if (!isSent.current) mutate({ token });
    isSent.current = true;
  }, [mutate, token]);
  if (error === null) {
    return (
      <>
        <FormHeading title="Signing in" />
        <SkeletonLines lines={2} />
      </>
    );
  }
  return (
    <div role="alert">
      <FormHeading title="Could not sign in">{error.message}</FormHeading>
      <ButtonLink href="/sign-in" variant="primary" size="lg" className="w-full">
        Sign in another way
      </ButtonLink>
    </div>
  );
}

/** By a password, with a provider, or by either. */
function ByChoice() {
  const [search] = useSearchParams();
  const { data: site } = useSite();
  const signIn = useEntry(api.signIn);
  const passkey = usePasskeySignIn();
  const next = localPath(search.get("next"));
  if (site?.me != null) return <Redirect to={next} replace />;
  if (signIn.step !== null) {
    return (
      <>
        <FormHeading title="Second step">One more proof that it is you.</FormHeading>
        <SecondStep methods={signIn.step} onBack={signIn.leaveStep} />
      </>
    );
  }
  const hasPasswords = site?.signIn !== "oidc";
  const problem = problemText(search.get("problem"));
  return (
    <>
      <FormHeading title="Sign in">{reasonOf(search)}</FormHeading>
      {problem !== undefined && (
        <Callout tone="bad" className="mb-6">
          {problem}
        </Callout>
      )}
      {hasPasswords && (
        <EntryForm
          password="current-password"
          passwordAside={
            <Link href="/reset" className="hover:text-ink hover:underline">
              Forgot password?
            </Link>
          }
          withPasskeys={passkey.isPossible}
          submit="Sign in"
          pending={signIn.isPending}
          error={signIn.error ?? passkey.error}
          onSubmit={signIn.mutate}
        />
      )}
      {hasPasswords && passkey.isPossible && (
        <Button
          size="lg"
          icon={<Fingerprint />}
          className="mt-3 w-full"
          pending={passkey.isPending}
          onClick={passkey.signIn}
        >
          Sign in with a passkey
        </Button>
      )}
      <ProviderButtons providers={site?.providers ?? []} next={next} isSecond={hasPasswords} />
      {!hasPasswords && site.providers.length === 0 && (
        <Callout tone="warn">No identity provider is set up yet. Ask the operator of this service.</Callout>
      )}
      {hasPasswords && site?.signUp === "open" && (
        <FormAside>
          No account yet? <Link href="/sign-up">Create one</Link>
        </FormAside>
      )}
    </>
  );
}

/** Why this page opened by itself. */
function reasonOf(search: URLSearchParams): string | undefined {
  if (search.has("signed-out")) return "You signed out in another tab.";
  return search.has("next") ? "Sign in to continue." : undefined;
}
