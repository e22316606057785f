import { useEffect } from "react";
import { useEntry } from "../hooks/use-entry.ts";
import { factorApi } from "../service/factors.ts";
import { answerByAutofill, answerPasskey, cancelPasskey, canUsePasskeys } from "../service/passkeys.ts";
import { useSite } from "../service/queries.ts";

/** Signing in with a passkey alone: by a button, or where browsers offer it, from the email field. */
export function usePasskeySignIn() {
  const { data: site } = useSite();
  const isPossible = canUsePasskeys(site);
  const { mutate, isPending, error } = useEntry(factorApi.signInByPasskey);
  const byButton = useEntry(async () =>
    factorApi.signInByPasskey(await answerPasskey(await factorApi.passkeySignInOptions())),
  );
  useEffect(() => {
    if (!isPossible) return undefined;
    let isLeft = false;
    const offer = async () => {
      const answer = await answerByAutofill(factorApi.passkeySignInOptions);
      if (answer !== null && !isLeft) mutate(answer);
    };
    // Where options cannot be had, the form works without.
    offer().catch(() => undefined);
    return () => {
      isLeft = true;
      void cancelPasskey();
    };
  }, [isPossible, mutate]);
  return {
    isPossible,
    isPending: isPending || byButton.isPending,
    error: byButton.error ?? error,
    signIn: () => byButton.mutate(undefined),
  };
}
