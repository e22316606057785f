import type { LimitsNow } from "../../../src/protocol/dashboard/api.js";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ModelName } from "../../components/models/model-name.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { ArrowLink } from "../../components/text/arrow-link.tsx";
import { CodeBlock } from "../../components/text/code-block.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { useSpace } from "../../hooks/use-space.ts";
import { useSpaceLimits, useTeam } from "../../service/teams.ts";
import { formatCount } from "../../units.ts";
import { PlanLimits } from "./plan-limits.tsx";

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

/** What a program sees at a limit. */
function TooManyRequests() {
  return (
    <Card
      title="When a limit is reached"
      description="The request gets status 429 and uses no tokens. Wait for the number of seconds in Retry-After, then retry; the OpenAI libraries do this automatically, except for daily and monthly quotas."
    >
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <CodeBlock title="Response" language="http" code={response} />
        <div className="flex flex-col gap-4">
          <dl className="flex flex-col gap-3 text-sm">
            {headers.map(({ name, means }) => (
              <div key={name}>
                <dt className="font-mono">{name}</dt>
                <dd className="text-muted">{means}</dd>
              </div>
            ))}
          </dl>
          <p className="text-sm text-muted">
            503 is different: the service itself is at capacity or in maintenance. It also has Retry-After.
          </p>
          <div className="text-sm">
            <ArrowLink href="/docs/limits">Limits in the documentation</ArrowLink>
          </div>
        </div>
      </div>
    </Card>
  );
}

const headers = [
  {
    name: "x-ratelimit-limit-requests",
    means: "What the plan allows per minute. For tokens: …\u2011tokens.",
  },
  { name: "x-ratelimit-remaining-requests", means: "What is left. On every response, not only 429." },
  { name: "x-ratelimit-reset-requests", means: "When the full limit is available again: 120ms, 59s, 1m0s." },
  { name: "retry-after", means: "Seconds to wait, 1 to 59, or until a quota resets. On 429 and 503." },
];

const response = `HTTP/1.1 429 Too Many Requests
retry-after: 12
x-ratelimit-limit-requests: 60
x-ratelimit-remaining-requests: 0
x-ratelimit-reset-requests: 12s

{
  "error": {
    "message": "Rate limit reached: 60 requests per minute on the plan 'Free'. Try again in 12 s.",
    "type": "rate_limit_error",
    "param": null,
    "code": "rate_limit_exceeded"
  }
}`;
