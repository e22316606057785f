import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Webhook } from "lucide-react";
import { useState } from "react";
import { mostWebhooks } from "../../../src/core/bounds.js";
import type { WebhookView } from "../../../src/protocol/dashboard/webhooks.js";
import { Button } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { DeliveryTable } from "./webhooks/delivery-table.tsx";
import { RotateSecretDialog } from "./webhooks/rotate-secret-dialog.tsx";
import { WebhookDialog } from "./webhooks/webhook-dialog.tsx";
import { WebhookTable } from "./webhooks/webhook-table.tsx";

type Open = { type: "create" } | { type: "edit" | "delete" | "rotate"; webhook: WebhookView } | null;

export default function Webhooks() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(adminQueries.webhooks);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const refresh = () => client.invalidateQueries({ queryKey: adminQueries.webhooks.queryKey });
  const test = useMutation({
    mutationFn: (id: string) => adminApi.testWebhook(id),
    onSuccess: async () => {
      toast("Test event sent");
      await refresh();
    },
    onError: (failure) => toast(failure.message, "bad"),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={(data?.webhooks.length ?? 0) >= mostWebhooks}
      onClick={() => setOpen({ type: "create" })}
    >
      Create webhook
    </Button>
  );
  const stopped = data?.webhooks.filter(({ off }) => off !== null && off.reason !== "admin") ?? [];
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Signed requests to your own servers when something happens: ids and counts, never content."
        actions={create}
      />
      <div className="flex flex-col gap-6">
        {stopped.map(({ id, url, off }) => (
          <Callout key={id} tone="warn" title="A webhook was switched off">
            <span className="wrap-anywhere">{url}</span>{" "}
            {off?.reason === "gone" ? "answered 410 Gone." : "failed for three days."} Edit it to switch it on
            again.
          </Callout>
        ))}
        <Card flush>
          <WebhookTable
            rows={data?.webhooks}
            error={error}
            onRetry={refetch}
            onEdit={(webhook) => setOpen({ type: "edit", webhook })}
            onDelete={(webhook) => setOpen({ type: "delete", webhook })}
            onRotate={(webhook) => setOpen({ type: "rotate", webhook })}
            onTest={(webhook) => test.mutate(webhook.id)}
            empty={
              <EmptyState icon={<Webhook />} title="No webhooks yet">
                Create one to get a signed request when something happens: a quota is reached, an engine is
                down.
              </EmptyState>
            }
          />
        </Card>
        {data !== undefined && data.webhooks.length > 0 && <DeliveryTable webhooks={data.webhooks} />}
      </div>
      {open?.type === "create" && <WebhookDialog webhook={null} onClose={close} />}
      {open?.type === "edit" && <WebhookDialog webhook={open.webhook} onClose={close} />}
      {open?.type === "rotate" && <RotateSecretDialog webhook={open.webhook} onClose={close} />}
      {open?.type === "delete" && (
        <ConfirmDialog
          open
          onOpenChange={close}
          title="Delete webhook"
          confirm="Delete webhook"
          onConfirm={async () => {
            await adminApi.deleteWebhook(open.webhook.id);
            toast("Webhook deleted");
            await refresh();
          }}
        >
          Nothing more is sent to{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.webhook.url}</strong>. Its deliveries
          are deleted, including pending ones.
        </ConfirmDialog>
      )}
    </>
  );
}
