/** The second step of a sign-in, on the page or in the dialog where the password was typed. */
import type { FactorMethod } from "../../src/core/factors/second-step.js";
import { Button } from "../components/controls/button.tsx";
import { toast } from "../components/overlays/toast.tsx";
import { useEntry } from "../hooks/use-entry.ts";
import { factorApi, type SecondFactorProof } from "../service/factors.ts";
import { answerPasskey, canUsePasskeys } from "../service/passkeys.ts";
import { useSite } from "../service/queries.ts";
import { plural } from "../units.ts";
import { ProofForm } from "./proof-form.tsx";

interface SecondStepProps {
  methods: readonly FactorMethod[];
  onEntered?: () => void;
  /** To the password. */
  onBack: () => void;
}

export function SecondStep({ methods, onEntered, onBack }: SecondStepProps) {
  const { data: site } = useSite();
  const finish = useEntry(async (proof: SecondFactorProof | "passkey") => {
    const typed =
      proof === "passkey" ? { passkey: await answerPasskey(await factorApi.secondFactorOptions()) } : proof;
    const { recoveryCodesLeft, ...me } = await factorApi.finishSignIn(typed);
    if (recoveryCodesLeft !== null) toast(`${plural(recoveryCodesLeft, "recovery code")} left`);
    return me;
  }, onEntered);
  const usable = methods.filter((method) => method !== "passkey" || canUsePasskeys(site));
  return (
    <>
      <ProofForm
        methods={usable}
        submit="Continue"
        pending={finish.isPending}
        error={finish.error}
        onTyped={(proof) => {
          if (!("password" in proof)) finish.mutate(proof);
        }}
        onPasskey={() => finish.mutate("passkey")}
      />
      <Button variant="quiet" className="mt-1 w-full" disabled={finish.isPending} onClick={onBack}>
        Start again
      </Button>
    </>
  );
}
