/** Asks again who someone is, over the page, when the service wants to know before it does what was asked of it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Site } from "../../src/protocol/dashboard/api.js";
import type { FactorsView } from "../../src/protocol/dashboard/factors.js";
import { Or, ProviderChoice } from "../components/controls/provider-buttons.tsx";
import { Dialog } from "../components/overlays/dialog.tsx";
import { Callout } from "../components/states/callout.tsx";
import { Loaded } from "../components/states/loaded.tsx";
import { useMe } from "../hooks/use-me.ts";
import { useQuestion } from "../service/confirmation.ts";
import { factorApi, factorQueries, type IdentityProof } from "../service/factors.ts";
import { answerPasskey, canUsePasskeys } from "../service/passkeys.ts";
import { onConfirmed, openProviderWindow } from "../service/provider-window.ts";
import { useSite } from "../service/queries.ts";
import { ProofForm, type ProofMethod } from "../sign-in/proof-form.tsx";

export function ConfirmIdentity() {
  const settle = useQuestion();
  return settle === null ? null : <Question settle={settle} />;
}

function Question({ settle }: { settle: (isConfirmed: boolean) => void }) {
  const { data: site } = useSite();
  const { email } = useMe().account;
  const read = useQuery(factorQueries.factors);
  const { data: factors } = read;
  const confirm = useMutation({
    mutationFn: async (proof: IdentityProof | "passkey") =>
      factorApi.confirm(
        proof === "passkey" ? { passkey: await answerPasskey(await factorApi.confirmOptions()) } : proof,
      ),
    onSuccess: () => settle(true),
    gcTime: 0,
  });
  const prove = useCallback(() => settle(true), [settle]);
  const providers = (site?.providers ?? []).filter(({ id }) => factors?.providers.includes(id));
  const methods = factors === undefined ? [] : methodsOf(factors, canUsePasskeys(site));
  return (
    <Dialog
      size="sm"
      onClose={() => settle(false)}
      dismissable={!confirm.isPending}
      title="Confirm that it is you"
      description="Needed before sensitive changes. You are not asked again for ten minutes."
    >
      <Loaded query={read} what="how you can sign in" lines={3}>
        {() =>
          methods.length === 0 && providers.length === 0 ? (
            <p>Sign out and in again, then do it within ten minutes.</p>
          ) : (
            <>
              {methods.length > 0 && (
                <ProofForm
                  methods={methods}
                  email={email}
                  submit="Confirm"
                  pending={confirm.isPending}
                  error={confirm.error}
                  onTyped={(proof) => {
                    if (!("recoveryCode" in proof)) confirm.mutate(proof);
                  }}
                  onPasskey={() => confirm.mutate("passkey")}
                />
              )}
              <ProviderProof providers={providers} isSecond={methods.length > 0} onProven={prove} />
            </>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function methodsOf({ passkeys, hasPassword, totpSince }: FactorsView, withPasskeys: boolean): ProofMethod[] {
  return [
    ...(withPasskeys && passkeys.length > 0 ? (["passkey"] as const) : []),
    ...(hasPassword ? (["password"] as const) : []),
    ...(totpSince === null ? [] : (["totp"] as const)),
  ];
}

/** The identity providers of an account, for someone who is asked again who they are. */
interface ProviderProofProps {
  providers: Site["providers"];
  /** Whether there is another way above them. */
  isSecond: boolean;
  onProven: () => void;
}

function ProviderProof({ providers, isSecond, onProven }: ProviderProofProps) {
  const [state, setState] = useState<"waiting" | "blocked" | null>(null);
  useEffect(() => onConfirmed(onProven), [onProven]);
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {isSecond && <Or />}
      <ProviderChoice
        providers={providers}
        isSecond={isSecond}
        onChoose={(id) => setState(openProviderWindow(id) ? "waiting" : "blocked")}
      />
      {state === "waiting" && (
        <p role="status" className="text-sm text-muted">
          Sign in in the window that has opened. This page goes on by itself.
        </p>
      )}
      {state === "blocked" && (
        <Callout tone="bad">
          Your browser has blocked the window. Allow it for this page, then try again.
        </Callout>
      )}
    </div>
  );
}
