import { useQuery } from "@tanstack/react-query";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { LimitMeters } from "../../../components/figures/limit-meters.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { queries } from "../../../service/queries.ts";

/** What is used and left right now. Polled every few seconds while the page is visible. */
export function LiveLimits() {
  const { data, error, refetch, dataUpdatedAt } = useQuery(queries.limits);
  return (
    <Card title="Limits" description={data === undefined ? undefined : `${data.plan.name} plan`}>
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={6} />
        ) : (
          <ErrorState error={error} onRetry={refetch} what="the limits" />
        )
      ) : (
        <div className="flex flex-col gap-6">
          <LimitMeters limits={data} readAt={dataUpdatedAt} />
          <div className="text-sm">
            <ArrowLink href="/app/limits">What the limits mean</ArrowLink>
          </div>
        </div>
      )}
    </Card>
  );
}
