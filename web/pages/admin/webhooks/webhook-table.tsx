import { Ellipsis, KeyRound, Pencil, Send, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { WebhookView } from "../../../../src/protocol/dashboard/webhooks.js";
import { IconButton } from "../../../components/controls/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../../components/controls/menu.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { Breakable } from "../../../components/text/breakable.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { Time } from "../../../components/text/time.tsx";
import { plural } from "../../../units.ts";

interface WebhookTableProps {
  rows: WebhookView[] | undefined;
  error: Error | null;
  onRetry: () => unknown;
  onEdit: (webhook: WebhookView) => void;
  onDelete: (webhook: WebhookView) => void;
  onRotate: (webhook: WebhookView) => void;
  onTest: (webhook: WebhookView) => void;
  empty: ReactNode;
}

export function WebhookTable({ onEdit, onDelete, onRotate, onTest, ...table }: WebhookTableProps) {
  const columns: Column<WebhookView>[] = [
    { id: "url", header: "Address", cell: (webhook) => <Target webhook={webhook} />, className: "max-w-96" },
    {
      id: "events",
      header: "Events",
      cell: ({ events }) => (events === null ? "All" : plural(events.length, "event")),
    },
    { id: "state", header: "State", cell: (webhook) => <State webhook={webhook} /> },
    { id: "created", header: "Created", cell: ({ createdAt }) => <Time at={createdAt} style="date" /> },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (webhook) => (
        <span className="-mr-2 inline-flex">
          <Menu
            trigger={
              <IconButton label={`Actions for ${webhook.url}`}>
                <Ellipsis />
              </IconButton>
            }
          >
            <MenuItem icon={<Pencil />} onSelect={() => onEdit(webhook)}>
              Edit…
            </MenuItem>
            <MenuItem icon={<Send />} disabled={webhook.off !== null} onSelect={() => onTest(webhook)}>
              Send a test event
            </MenuItem>
            <MenuItem icon={<KeyRound />} onSelect={() => onRotate(webhook)}>
              Rotate secret…
            </MenuItem>
            <MenuSeparator />
            <MenuItem icon={<Trash2 />} tone="danger" onSelect={() => onDelete(webhook)}>
              Delete…
            </MenuItem>
          </Menu>
        </span>
      ),
    },
  ];
  return <Table label="Webhooks" columns={columns} rowId={(webhook) => webhook.id} {...table} />;
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
