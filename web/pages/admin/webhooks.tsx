import { useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, Pencil, Plus, Send, Trash2, Webhook } from "lucide-react";
import { useState } from "react";
import { mostWebhooks } from "../../../src/core/bounds.js";
import type { WebhookView } from "../../../src/protocol/dashboard/webhooks.js";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Callout } from "../../components/states/callout.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { useChange } from "../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { DeliveryTable } from "./webhooks/delivery-table.tsx";
import { RotateSecretDialog, WebhookDialog } from "./webhooks/webhook-dialog.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../components/controls/menu.tsx";
import { Badge } from "../../components/states/badge.tsx";
import { Breakable } from "../../components/text/breakable.tsx";
import { actionsColumn, Table, type Column } from "../../components/text/table.tsx";
import { Time } from "../../components/text/time.tsx";
import { plural } from "../../units.ts";

type Open = { type: "create" } | { type: "edit" | "delete" | "rotate"; webhook: WebhookView } | null;

export default function Webhooks() {
  const list = useQuery(adminQueries.webhooks);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const reads = [adminQueries.webhooks.queryKey];
  const test = useChange((id: string) => adminApi.testWebhook(id), {
    done: "Test event sent",
    reads,
    toastsErrors: true,
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={(list.data?.webhooks.length ?? 0) >= mostWebhooks}
      onClick={() => setOpen({ type: "create" })}
    >
      Create webhook
    </Button>
  );
  const stopped = list.data?.webhooks.filter(({ off }) => off !== null && off.reason !== "admin") ?? [];
  const columns: Column<WebhookView>[] = [
    { header: "Address", cell: (webhook) => <Target webhook={webhook} />, className: "max-w-96" },
    {
      header: "Events",
      cell: ({ events }) => (events === null ? "All" : plural(events.length, "event")),
    },
    { header: "State", cell: (webhook) => <State webhook={webhook} /> },
    { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} style="date" /> },
    actionsColumn((webhook) => (
      <span className="-mr-2 inline-flex">
        <Menu
          trigger={
            <IconButton label={`Actions for ${webhook.url}`}>
              <Ellipsis />
            </IconButton>
          }
        >
          <MenuItem icon={<Pencil />} onSelect={() => setOpen({ type: "edit", webhook })}>
            Edit…
          </MenuItem>
          <MenuItem icon={<Send />} disabled={webhook.off !== null} onSelect={() => test.mutate(webhook.id)}>
            Send a test event
          </MenuItem>
          <MenuItem icon={<KeyRound />} onSelect={() => setOpen({ type: "rotate", webhook })}>
            Rotate secret…
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} tone="danger" onSelect={() => setOpen({ type: "delete", webhook })}>
            Delete…
          </MenuItem>
        </Menu>
      </span>
    )),
  ];
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
          <Table
            label="Webhooks"
            columns={columns}
            rows={list.data?.webhooks}
            rowId={(webhook) => webhook.id}
            query={list}
            empty={
              <EmptyState icon={<Webhook />} title="No webhooks yet">
                Create one to get a signed request when something happens: a quota is reached, an engine is
                down.
              </EmptyState>
            }
          />
        </Card>
        {list.data !== undefined && list.data.webhooks.length > 0 && (
          <DeliveryTable webhooks={list.data.webhooks} />
        )}
      </div>
      {open?.type === "create" && <WebhookDialog webhook={null} onClose={close} />}
      {open?.type === "edit" && <WebhookDialog webhook={open.webhook} onClose={close} />}
      {open?.type === "rotate" && <RotateSecretDialog webhook={open.webhook} onClose={close} />}
      {open?.type === "delete" && (
        <ConfirmDialog
          onClose={close}
          title="Delete webhook"
          onConfirm={() => adminApi.deleteWebhook(open.webhook.id)}
          done="Webhook deleted"
          reads={reads}
        >
          Nothing more is sent to{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.webhook.url}</strong>. Its deliveries
          are deleted, including pending ones.
        </ConfirmDialog>
      )}
    </>
  );
}

function Target({ webhook: { url, description } }: { webhook: WebhookView }) {
  return (
    <span className="block min-w-0">
      <Breakable text={url} after="/.-" className="block font-medium" />
      {description !== "" && <span className="block text-sm wrap-anywhere text-muted">{description}</span>}
    </span>
  );
}

function State({ webhook: { off, failingSince } }: { webhook: WebhookView }) {
  if (off !== null) return <Badge tone={off.reason === "admin" ? "neutral" : "bad"}>Off</Badge>;
  if (failingSince === null) return <Badge tone="good">On</Badge>;
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge tone="warn">Failing</Badge>
      <span className="text-sm text-muted">
        since <Time at={failingSince} />
      </span>
    </span>
  );
}
