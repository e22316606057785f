import { useQuery } from "@tanstack/react-query";
import { Server } from "lucide-react";
import { ButtonLink } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { cx } from "../../cx.ts";
import { queries } from "../../service/queries.ts";
import { EngineCard } from "./engine-card.tsx";
import { StarterSuggestion } from "./starter-suggestion.tsx";

export default function Engines() {
  const { data, error, refetch } = useQuery(queries.admin.engines);
  return (
    <>
      <PageHeader
        title="Engines"
        description="The engines behind the models and their load, updated every few seconds."
      />
      <StarterSuggestion />
      {data === undefined ? (
        <Card>
          {error === null ? (
            <SkeletonLines lines={6} />
          ) : (
            <ErrorState error={error} onRetry={refetch} what="the engines" />
          )}
        </Card>
      ) : data.engines.length === 0 ? (
        <Card>
          <EmptyState
            icon={<Server />}
            title="No engines configured"
            action={<ButtonLink href="/admin/models">Choose weights</ButtonLink>}
          >
            Requests are refused until a model has weights.
          </EmptyState>
        </Card>
      ) : (
        <div className={cx("grid grid-cols-1 items-start gap-6", columns(data.engines.length))}>
          {data.engines.map((engine) => (
            <EngineCard key={engine.models.join()} engine={engine} />
          ))}
        </div>
      )}
    </>
  );
}

/** A single engine gets the full width. */
function columns(engines: number): string {
  if (engines === 1) return "";
  return engines === 2 ? "lg:grid-cols-2" : "lg:grid-cols-2 xl:grid-cols-3";
}
