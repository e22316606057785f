import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelAlias } from "../../../src/core/model-aliases.js";
import type { ModelView, PullView } from "../../../src/core/model-views.js";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { Loaded } from "../../components/states/loaded.tsx";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { ChangeDialog } from "./models/change-dialog.tsx";
import { ModelCard } from "./models/model-card.tsx";
import { PullList } from "./models/pull-list.tsx";
import { StarterSuggestion } from "./starter-suggestion.tsx";

type Open = { type: "change" | "roll-back"; model: ModelView } | { type: "cancel"; pull: PullView } | null;

export default function Models() {
  const read = useQuery(queries.admin.models);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        title="Models"
        description="What serves each model. A change takes effect once the new weights are loaded; running replies finish first."
      />
      <StarterSuggestion />
      <Loaded query={read} what="the models" lines={6} card>
        {(data) => (
          <div className="flex flex-col gap-6">
            {data.pulls.length > 0 && (
              <PullList
                pulls={data.pulls}
                models={data.models}
                onCancel={(pull) => setOpen({ type: "cancel", pull })}
              />
            )}
            <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
              {data.models.map((model) => (
                <ModelCard
                  key={model.model}
                  model={model}
                  onChange={() => setOpen({ type: "change", model })}
                  onRollBack={() => setOpen({ type: "roll-back", model })}
                />
              ))}
            </div>
            <AliasList aliases={data.aliases} />
          </div>
        )}
      </Loaded>
      {open?.type === "change" && <ChangeDialog model={open.model} onClose={close} />}
      {open?.type === "roll-back" && (
        <ConfirmDialog
          onClose={close}
          tone="primary"
          title="Roll back model"
          confirm="Roll back"
          onConfirm={() => api.admin.setModel(open.model.model, "roll-back")}
          done={`Rolling back ${open.model.model}`}
          reads={[["admin"]]}
        >
          {open.model.model} will be served by{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.model.previous?.label}</strong> again.
          The current choice is kept, and you can return to it the same way.
        </ConfirmDialog>
      )}
      {open?.type === "cancel" && (
        <ConfirmDialog
          onClose={close}
          title="Cancel download"
          dismiss="Keep downloading"
          onConfirm={() => api.admin.cancelPull(open.pull.id)}
          done="Download cancelled"
          reads={[["admin"]]}
        >
          The downloaded part of{" "}
          <strong className="font-medium wrap-anywhere text-ink">
            {open.pull.file || open.pull.reference}
          </strong>{" "}
          is removed. To continue later, pause it instead.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Other names for the models. They come from the configuration or a file, and cannot be changed here. */
function AliasList({ aliases }: { aliases: readonly ModelAlias[] }) {
  return (
    <Card
      title="Aliases"
      description={
        <>
          Other names by which clients may ask for a model; <code className="font-mono">*</code> matches any
          characters. Set by <code className="font-mono wrap-anywhere">SOTTO_MODEL_ALIASES</code> in the
          configuration, or with <code className="font-mono">sotto apply</code>.
        </>
      }
    >
      {aliases.length === 0 ? (
        <p className="text-sm text-muted">None.</p>
      ) : (
        <ul className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
          {aliases.map(({ name, model }) => (
            <li key={name}>
              <code className="font-mono wrap-anywhere">{name}</code>
              <span className="text-muted"> → </span>
              {model}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
