/** Asks again to verify an address, where the service can send mail. The account works without. */
import { useMutation } from "@tanstack/react-query";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/address.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { useMe } from "../../../hooks/use-me.ts";
import { useSite } from "../../../service/queries.ts";

export function VerifyAddress() {
  const { data: site } = useSite();
  const { email, isEmailVerified } = useMe().account;
  const send = useMutation({
    mutationFn: api.requestVerification,
    onSuccess: () => toast("Link sent"),
    onError: (error) => toast(error.message, "bad"),
  });
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
