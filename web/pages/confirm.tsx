/** Where mailed links lead that verify an address or change it. Nothing happens until the button is pressed. */
import { Link } from "wouter";
import type { Confirmed } from "../../src/core/accounts/own-email.js";
import { api } from "../service/api.ts";
import { Address } from "../components/text/breakable.tsx";
import { Button } from "../components/controls/button.tsx";
import { Callout } from "../components/states/callout.tsx";
import { FormAside, FormHeading } from "../components/controls/form-heading.tsx";
import { formError } from "../form-errors.ts";
import { useChange } from "../hooks/use-change.ts";
import { useFragmentValue } from "../hooks/use-fragment-value.ts";
import { queries } from "../service/queries.ts";

export default function Confirm() {
  const verify = useFragmentValue("token");
  const change = useFragmentValue("change");
  const token = verify ?? change ?? "";
  const confirm = useChange(() => api.confirm({ token }), {
    reads: [queries.site.queryKey, queries.emailChange.queryKey],
  });
  const failure = formError(confirm.error);
  return (
    <>
      <FormHeading title="Confirm your email address">
        {change === null
          ? "It shows that mail to your address reaches you."
          : "Confirm that your account should use the new address."}
      </FormHeading>
      {token === "" ? (
        <Callout tone="warn" title="The link is incomplete">
          Copy all of it from the mail, or ask for a new one on the Account page.
        </Callout>
      ) : confirm.data === undefined ? (
        <div className="flex flex-col gap-5">
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
          <Button
            variant="primary"
            size="lg"
            className="w-full"
            pending={confirm.isPending}
            onClick={() => confirm.mutate()}
          >
            {change === null ? "Verify address" : "Confirm change"}
          </Button>
        </div>
      ) : (
        <div role="status">
          <Done {...confirm.data} />
        </div>
      )}
      <FormAside>
        <Link href="/app/account">Go to your account</Link>
      </FormAside>
    </>
  );
}

function Done({ done, email }: Confirmed) {
  const address = <Address email={email} className="font-medium" />;
  switch (done) {
    case "verified":
      return <Callout title="Verified">{address} is verified.</Callout>;
    case "agreed":
      return (
        <Callout title="One more step">
          We sent a link to {address}. The address changes when it is opened.
        </Callout>
      );
    case "changed":
      return (
        <Callout title="Address changed">
          Your account now uses {address}. Sign in with it from now on.
        </Callout>
      );
  }
}
