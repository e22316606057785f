import { useQuery } from "@tanstack/react-query";
import { chatModelIds } from "../../src/core/models.js";
import { ModelFactList, StarterNote } from "../components/models/model-facts.tsx";
import { ModelMark } from "../components/models/model-mark.tsx";
import { StateBadge } from "../components/states/state-badge.tsx";
import { queries } from "../service/queries.ts";

export function LandingModels() {
  const { data: status } = useQuery(queries.status);
  const models = useQuery(queries.models).data?.models ?? [];
  return (
    <section aria-labelledby="models" className="mt-28 sm:mt-40">
      <div className="grid gap-x-16 gap-y-4 lg:grid-cols-12 lg:items-end">
        <h2 id="models" className="text-3xl lg:col-span-7">
          Three models, one API
        </h2>
        <p className="text-lg text-muted lg:col-span-5">
          The same endpoint, the same parameters, the same promise. Choose by name.
        </p>
      </div>
      <ul className="mt-10 grid overflow-clip rounded-lg border border-line bg-line sm:grid-cols-3 sm:gap-px">
        {chatModelIds.map((id) => {
          const state = status?.models.find((model) => model.id === id)?.state;
          const facts = models.find((model) => model.id === id);
          return (
            <li
              key={id}
              className="flex flex-col border-b border-line bg-surface p-6 last:border-0 sm:border-0 sm:p-8"
            >
              <div className="flex items-start justify-between">
                <ModelMark model={id} className="size-9 text-accent" />
                {state !== undefined && <StateBadge state={state} />}
              </div>
              <h3 className="mt-10 text-2xl">{id}</h3>
              <code className="mt-1 font-mono text-sm text-muted">"model": "{id}"</code>
              {facts?.description != null && <p className="mt-4 wrap-anywhere">{facts.description}</p>}
              {facts !== undefined && <ModelFactList facts={facts} className="mt-6" />}
            </li>
          );
        })}
      </ul>
      <StarterNote models={models} className="mt-4" />
    </section>
  );
}
