import { useMutation } from "@tanstack/react-query";
import type { WebhookView } from "../../../../src/protocol/dashboard/webhooks.js";
import { Button } from "../../../components/controls/button.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { formError } from "../../../form-errors.ts";
import { adminApi } from "../../../service/admin.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

export function RotateSecretDialog({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }) {
  const rotate = useMutation({ mutationFn: () => adminApi.rotateWebhookSecret(webhook.id), gcTime: 0 });
  const failure = formError(rotate.error, []);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rotate.data === undefined ? "Rotate secret" : "Secret rotated"}
      dismissable={rotate.data === undefined && !rotate.isPending}
      footer={
        rotate.data === undefined ? (
          <>
            <Button onClick={onClose} disabled={rotate.isPending}>
              Cancel
            </Button>
            <Button variant="primary" pending={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate secret
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {rotate.data === undefined ? (
        <div className="flex flex-col gap-4">
          <p>
            Deliveries to <strong className="font-medium wrap-anywhere text-ink">{webhook.url}</strong> are
            signed with both secrets for a day, then with the new one alone.
          </p>
          {failure !== undefined && <Callout tone="bad">{failure}</Callout>}
        </div>
      ) : (
        <WebhookSecret secret={rotate.data.secret} />
      )}
    </Dialog>
  );
}
