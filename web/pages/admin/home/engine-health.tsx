import type { AdminHome } from "../../../../src/protocol/dashboard/admin.js";
import { Card } from "../../../components/frame/card.tsx";
import { ModelName } from "../../../components/models/model-name.tsx";
import { Badge } from "../../../components/states/badge.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { formatCount } from "../../../units.ts";
import { states } from "../engine-card.tsx";

/** One line for each engine: the models it serves, its state and load, and the reason if it is unavailable. */
export function EngineHealth({ engines }: { engines: AdminHome["engines"] }) {
  return (
    <Card
      title="Engines"
      actions={
        <span className="text-sm">
          <ArrowLink href="/admin/engines">Details</ArrowLink>
        </span>
      }
      flush
    >
      {engines.length === 0 ? (
        <p className="px-5 py-4 text-muted sm:px-6">No engine is configured: requests are refused.</p>
      ) : (
        <ul className="divide-y divide-line">
          {engines.map((engine) => (
            <li key={engine.models.join()} className="px-5 py-3.5 sm:px-6">
              <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
                <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
                  {engine.models.map((model) => (
                    <ModelName key={model} model={model} />
                  ))}
                </div>
                <div className="flex items-center gap-4">
                  <span className="text-sm text-muted tabular-nums">
                    {formatCount(engine.active)} of {formatCount(engine.capacity)} running,{" "}
                    {formatCount(engine.waiting)} waiting
                  </span>
                  <Badge tone={states[engine.state].tone} dot>
                    {states[engine.state].word}
                  </Badge>
                </div>
              </div>
              <p className="mt-0.5 text-sm wrap-anywhere text-muted">{engine.serving}</p>
              {engine.state === "down" && engine.problem !== null && (
                <p className="mt-1 text-sm wrap-anywhere text-bad">{engine.problem}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
