import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import type { DeliveryError } from "../../../../src/core/events/ports.js";
import type { DeliveryView, WebhookView } from "../../../../src/protocol/dashboard/webhooks.js";
import { Button } from "../../../components/controls/button.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Badge, type Tone } from "../../../components/states/badge.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { Breakable } from "../../../components/text/breakable.tsx";
import { Table, type Column, actionsColumn } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import { adminApi, adminQueries } from "../../../service/admin.ts";
import { formatMs, plural } from "../../../units.ts";

/** What was sent, and how that went. */
export function DeliveryTable({ webhooks }: { webhooks: readonly WebhookView[] }) {
  const list = useInfiniteQuery(adminQueries.deliveries);
  const redeliver = useChange((id: string) => adminApi.redeliver(id), {
    done: "Sent again",
    reads: [adminQueries.webhooks.queryKey],
    toastsErrors: true,
  });
  const targetOf = ({ webhookId }: DeliveryView) => webhooks.find(({ id }) => id === webhookId);
  const columns: Column<DeliveryView>[] = [
    {
      header: "Event",
      cell: ({ type, createdAt }) => (
        <span className="block">
          <code className="block font-mono text-sm">
            <Breakable text={type} after="." />
          </code>
          <span className="block text-sm text-muted">
            <Time at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      header: "Webhook",
      cell: (delivery) => {
        const webhook = targetOf(delivery);
        if (webhook === undefined) return "–";
        return webhook.description || <Breakable text={webhook.url} after="/.-" />;
      },
      className: "max-w-72 wrap-anywhere",
    },
    { header: "State", cell: (delivery) => <State delivery={delivery} /> },
    { header: "Response", cell: answerText },
    {
      header: "Duration",
      align: "right",
      cell: ({ durationMs }) => (durationMs === null ? "–" : formatMs(durationMs)),
      className: "whitespace-nowrap",
    },
    actionsColumn((delivery) => (
      <Button
        size="sm"
        variant="quiet"
        className="-mr-2.5"
        disabled={redeliver.isPending || targetOf(delivery)?.off !== null}
        onClick={() => redeliver.mutate(delivery.id)}
      >
        Redeliver<span className="sr-only"> {delivery.type}</span>
      </Button>
    )),
  ];
  return (
    <Card title="Deliveries" description="The last seven days. Response bodies are not read." flush>
      <Table
        label="Deliveries"
        columns={columns}
        rows={list.data?.pages.flatMap(({ deliveries }) => deliveries)}
        rowId={({ id }) => id}
        query={list}
        empty={
          <EmptyState icon={<Send />} title="Nothing sent yet">
            Events appear here when they happen. To try a webhook, send it a test event.
          </EmptyState>
        }
      />
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line px-5 py-3">
          <Button size="sm" pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older
          </Button>
        </div>
      )}
    </Card>
  );
}

const states: Record<DeliveryView["state"], { tone: Tone; word: string }> = {
  waiting: { tone: "warn", word: "Pending" },
  delivered: { tone: "good", word: "Delivered" },
  failed: { tone: "bad", word: "Failed" },
};

function State({ delivery: { state, attempts, nextAt } }: { delivery: DeliveryView }) {
  const { tone, word } = states[state];
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{word}</Badge>
      <span className="text-sm text-muted">
        {plural(attempts, "attempt")}
        {nextAt !== null && attempts > 0 && (
          <>
            , next <Time at={nextAt} isAhead />
          </>
        )}
      </span>
    </span>
  );
}

const errorTexts: Record<DeliveryError, string> = {
  timeout: "Timed out",
  unreachable: "Unreachable",
  address_not_allowed: "Address not allowed",
  secret_unreadable: "Secret unreadable: rotate it",
};

function answerText({ responseStatus, error }: DeliveryView): string {
  if (error !== null) return errorTexts[error];
  return responseStatus === null ? "–" : String(responseStatus);
}
