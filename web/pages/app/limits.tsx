import type { LimitsNow } from "../../../src/protocol/dashboard/api.js";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ModelName } from "../../components/models/model-name.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { useSpace } from "../../hooks/use-space.ts";
import { useSpaceLimits, useTeam } from "../../service/teams.ts";
import { formatCount } from "../../units.ts";
import { PlanLimits } from "./limits/plan-limits.tsx";
import { TooManyRequests } from "./limits/too-many-requests.tsx";

export default function Limits() {
  const space = useSpace();
  const read = useSpaceLimits(space.id);
  const { data, error, dataUpdatedAt } = read;
  const { data: team } = useTeam(space.id);
  return (
    <>
      <PageHeader
        title="Limits"
        description={
          data === undefined
            ? "What your plan allows and how much is in use right now."
            : space.id === null
              ? `What the ${data.plan.name} plan allows and how much is in use right now. Shared by all your keys and the playground.`
              : `What ${team?.name ?? "the team"} may use and how much is in use right now. Shared by all keys of the team and its playground.`
        }
      />
      <div className="flex flex-col gap-6">
        <Loaded query={read} what="the limits" lines={8} card>
          {(limits) => (
            <>
              <PlanLimits limits={limits} readAt={dataUpdatedAt} />
              <Queues queues={limits.queues} />
            </>
          )}
        </Loaded>
        {(data !== undefined || error !== null) && <TooManyRequests />}
      </div>
    </>
  );
}

type Queue = LimitsNow["queues"][number];

function Queues({ queues }: { queues: Queue[] }) {
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
    header: "Running",
    align: "right",
    cell: (queue) => `${formatCount(queue.running)} of ${formatCount(queue.capacity)}`,
  },
  { header: "Waiting", align: "right", cell: (queue) => formatCount(queue.waiting) },
];
