import { Card } from "../../components/frame/card.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { useSpace } from "../../hooks/use-space.ts";
import { useSpaceLimits, useTeam } from "../../service/teams.ts";
import { PlanLimits } from "./limits/plan-limits.tsx";
import { Queues } from "./limits/queues.tsx";
import { TooManyRequests } from "./limits/too-many-requests.tsx";

export default function Limits() {
  const space = useSpace();
  const { data, error, refetch, dataUpdatedAt } = useSpaceLimits(space.id);
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
        {data === undefined && (
          <Card>
            {error === null ? (
              <SkeletonLines lines={8} />
            ) : (
              <ErrorState error={error} onRetry={refetch} what="the limits" />
            )}
          </Card>
        )}
        {data !== undefined && (
          <>
            <PlanLimits limits={data} readAt={dataUpdatedAt} />
            <Queues queues={data.queues} />
          </>
        )}
        {(data !== undefined || error !== null) && <TooManyRequests />}
      </div>
    </>
  );
}
