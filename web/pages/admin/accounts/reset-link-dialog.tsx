import { useMutation } from "@tanstack/react-query";
import type { AccountView } from "../../../../src/protocol/dashboard/api.js";
import { api } from "../../../service/api.ts";
import { Address } from "../../../components/text/address.tsx";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { OneTimeLink } from "../../../components/overlays/one-time-link.tsx";
import { formError } from "../../../form-errors.ts";

export function ResetLinkDialog({ account, onClose }: { account: AccountView; onClose: () => void }) {
  const make = useMutation({ mutationFn: () => api.admin.resetLink(account.id), gcTime: 0 });
  const failure = formError(make.error, []);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Password reset link"
      dismissable={make.data === undefined && !make.isPending}
      description={
        <>
          Whoever opens the link can set a new password for{" "}
          <Address email={account.email} className="font-medium text-ink" />. Send it over a channel you
          trust.
        </>
      }
      footer={
        make.data === undefined ? (
          <>
            <Button onClick={onClose} disabled={make.isPending}>
              Cancel
            </Button>
            <Button variant="primary" pending={make.isPending} onClick={() => make.mutate()}>
              Create link
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {make.data !== undefined && <OneTimeLink label="Reset link" link={make.data} />}
      {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
    </Dialog>
  );
}
