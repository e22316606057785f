import type { LimitsNow } from "../../../../src/protocol/dashboard.js";
import { Card } from "../../../components/card.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ModelName } from "../../../components/model-name.tsx";
import { Table, type Column } from "../../../components/table.tsx";
import { formatCount } from "../../../units.ts";

type Queue = LimitsNow["queues"][number];

export function Queues({ queues }: { queues: Queue[] }) {
  return (
    <Card
      flush
      title="Queue by model"
      description="Of all accounts together. Accounts take turns: nobody's many requests hold up another's one."
    >
      <Table
        label="Queue by model"
        columns={columns}
        rows={queues}
        rowId={(queue) => queue.model}
        empty={<EmptyState title="No model is being served" />}
      />
    </Card>
  );
}

const columns: readonly Column<Queue>[] = [
  { id: "model", header: "Model", cell: (queue) => <ModelName model={queue.model} /> },
  {
    id: "running",
    header: "Running",
    align: "right",
    cell: (queue) => `${formatCount(queue.running)} of ${formatCount(queue.capacity)}`,
  },
  { id: "waiting", header: "Waiting", align: "right", cell: (queue) => formatCount(queue.waiting) },
];
