import { useQuery } from "@tanstack/react-query";
import { Server } from "lucide-react";
import { ButtonLink } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { cx } from "../../cx.ts";
import { queries } from "../../service/queries.ts";
import { EngineCard } from "./engine-card.tsx";
import { StarterSuggestion } from "./starter-suggestion.tsx";

export default function Engines() {
  const read = useQuery(queries.admin.engines);
  return (
    <>
      <PageHeader
        title="Engines"
        description="The engines behind the models and their load, updated every few seconds."
      />
      <StarterSuggestion />
      <Loaded query={read} what="the engines" lines={6} card>
        {(data) =>
          data.engines.length === 0 ? (
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
          )
        }
      </Loaded>
    </>
  );
}

/** A single engine gets the full width. */
function columns(engines: number): string {
  if (engines === 1) return "";
  return engines === 2 ? "lg:grid-cols-2" : "lg:grid-cols-2 xl:grid-cols-3";
}
