/**
 * Asks for the password again over a page whose session has ended. The page stays mounted underneath, out of
 * sight, so that a draft is still there afterwards. Only the same account can continue with it.
 */
import { api } from "../service/api.ts";
import { Address } from "../components/text/breakable.tsx";
import { Button } from "../components/controls/button.tsx";
import { Dialog } from "../components/overlays/dialog.tsx";
import { EntryForm } from "../components/controls/entry-form.tsx";
import { ProviderButtons } from "../components/controls/provider-buttons.tsx";
import { useDeparture } from "../hooks/use-sign-out.ts";
import { useEntry } from "../hooks/use-entry.ts";
import { SecondStep } from "../sign-in/second-step.tsx";
import { useSite } from "../service/queries.ts";

export function SessionExpired({ email }: { email: string }) {
  const signIn = useEntry(api.signIn);
  const depart = useDeparture();
  const { data: site } = useSite();
  const hasPasswords = site?.signIn !== "oidc";
  return (
    <>
      <main className="min-h-screen">
        <h1 className="sr-only">Signed out</h1>
      </main>
      <Dialog
        size="sm"
        onClose={() => undefined}
        dismissable={false}
        title="Sign in"
        description={
          <>
            Your session expired. Sign in to continue as{" "}
            <Address email={email} className="font-medium text-ink" />.
            {site?.providers.length === 0 && " This page stays as you left it."}
          </>
        }
        footer={
          <Button variant="quiet" disabled={signIn.isPending} onClick={() => depart("/sign-in")}>
            Use another account
          </Button>
        }
      >
        {hasPasswords && signIn.step === null && (
          <EntryForm
            email={{ fixed: email }}
            password="current-password"
            submit="Sign in"
            pending={signIn.isPending}
            error={signIn.error}
            onSubmit={signIn.mutate}
          />
        )}
        {signIn.step === null ? (
          <ProviderButtons
            providers={site?.providers ?? []}
            next={location.pathname + location.search}
            isSecond={hasPasswords}
          />
        ) : (
          <SecondStep methods={signIn.step} onBack={signIn.leaveStep} />
        )}
      </Dialog>
    </>
  );
}
