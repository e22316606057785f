import type { LimitsNow } from "../../../../src/protocol/dashboard/api.js";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { Table, type Column } from "../../../components/text/table.tsx";
import { formatCount } from "../../../units.ts";

type Queue = LimitsNow["queues"][number];

export function Queues({ queues }: { queues: Queue[] }) {
  return (
    <Card
      flush
      title="Queues"
      description="Across all accounts; models on the same engine share a queue. Scheduled fairly: one busy account can’t block others."
    >
      <Table
        label="Queues"
        columns={columns}
        rows={queues}
        rowId={(queue) => queue.models.join()}
        empty={<EmptyState title="No models are being served" />}
      />
    </Card>
  );
}

const columns: readonly Column<Queue>[] = [
  {
    id: "models",
    header: "Models",
    cell: ({ models }) => (
      <span className="inline-flex flex-wrap gap-x-4 gap-y-1">
        {models.map((model) => (
          <ModelName key={model} model={model} />
        ))}
      </span>
    ),
  },
  {
    id: "running",
    header: "Running",
    align: "right",
    cell: (queue) => `${formatCount(queue.running)} of ${formatCount(queue.capacity)}`,
  },
  { id: "waiting", header: "Waiting", align: "right", cell: (queue) => formatCount(queue.waiting) },
];
