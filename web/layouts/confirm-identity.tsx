/** Asks again who someone is, over the page, when the service wants to know before it does what was asked of it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { FactorsView } from "../../src/protocol/dashboard/factors.js";
import { Dialog } from "../components/overlays/dialog.tsx";
import { ErrorState } from "../components/states/error-state.tsx";
import { SkeletonLines } from "../components/states/skeleton.tsx";
import { useMe } from "../hooks/use-me.ts";
import { useQuestion } from "../service/confirmation.ts";
import { factorApi, factorQueries, type IdentityProof } from "../service/factors.ts";
import { answerPasskey, canUsePasskeys } from "../service/passkeys.ts";
import { useSite } from "../service/queries.ts";
import { ProofForm, type ProofMethod } from "../sign-in/proof-form.tsx";
import { ProviderProof } from "../sign-in/provider-proof.tsx";

export function ConfirmIdentity() {
  const settle = useQuestion();
  return settle === null ? null : <Question settle={settle} />;
}

function Question({ settle }: { settle: (isConfirmed: boolean) => void }) {
  const { data: site } = useSite();
  const { email } = useMe().account;
  const { data: factors, error, refetch } = useQuery(factorQueries.factors);
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
      open
      size="sm"
      onOpenChange={() => settle(false)}
      dismissable={!confirm.isPending}
      title="Confirm that it is you"
      description="Needed before sensitive changes. You are not asked again for ten minutes."
    >
      {factors === undefined ? (
        error === null ? (
          <SkeletonLines lines={3} />
        ) : (
          <ErrorState error={error} onRetry={refetch} what="how you can sign in" />
        )
      ) : methods.length === 0 && providers.length === 0 ? (
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
      )}
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
