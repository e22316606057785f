/** Asks again to verify an address, where the service can send mail. The account works without. */
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/breakable.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { useMe } from "../../../hooks/use-me.ts";
import { useSite } from "../../../service/queries.ts";

export function VerifyAddress() {
  const { data: site } = useSite();
  const { email, isEmailVerified } = useMe().account;
  const send = useChange(() => api.requestVerification(), { done: "Link sent", toastsErrors: true });
  if (site?.canMail !== true || isEmailVerified) return null;
  return (
    <Callout tone="warn" title="Verify your email address">
      <p>
        Open the link that was mailed to <Address email={email} className="font-medium" />, so that you can
        reset your password and get quota warnings. Everything works meanwhile.
      </p>
      <Button size="sm" className="mt-3" pending={send.isPending} onClick={() => send.mutate()}>
        {send.isSuccess ? "Send another link" : "Send the link again"}
      </Button>
    </Callout>
  );
}
