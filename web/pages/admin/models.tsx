import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelView, PullView } from "../../../src/core/model-views.js";
import { api } from "../../service/api.ts";
import { Card } from "../../components/frame/card.tsx";
import { ConfirmDialog } from "../../components/overlays/confirm-dialog.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { SkeletonLines } from "../../components/states/skeleton.tsx";
import { toast } from "../../components/overlays/toast.tsx";
import { queries } from "../../service/queries.ts";
import { ChangeDialog } from "./models/change-dialog.tsx";
import { AliasList } from "./models/alias-list.tsx";
import { ModelCard } from "./models/model-card.tsx";
import { PullList } from "./models/pull-list.tsx";
import { StarterSuggestion } from "./starter-suggestion.tsx";

type Open = { type: "change" | "roll-back"; model: ModelView } | { type: "cancel"; pull: PullView } | null;

export default function Models() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(queries.admin.models);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const reread = () => client.invalidateQueries({ queryKey: ["admin"] });
  return (
    <>
      <PageHeader
        title="Models"
        description="What serves each model. A change takes effect once the new weights are loaded; running replies finish first."
      />
      <StarterSuggestion />
      {data === undefined ? (
        <Card>
          {error === null ? (
            <SkeletonLines lines={6} />
          ) : (
            <ErrorState error={error} onRetry={refetch} what="the models" />
          )}
        </Card>
      ) : (
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
      {open?.type === "change" && <ChangeDialog model={open.model} onClose={close} />}
      {open?.type === "roll-back" && (
        <ConfirmDialog
          open
          onOpenChange={close}
          tone="primary"
          title="Roll back model"
          confirm="Roll back"
          onConfirm={async () => {
            await api.admin.setModel(open.model.model, "roll-back");
            toast(`Rolling back ${open.model.model}`);
            await reread();
          }}
        >
          {open.model.model} will be served by{" "}
          <strong className="font-medium wrap-anywhere text-ink">{open.model.previous?.label}</strong> again.
          The current choice is kept, and you can return to it the same way.
        </ConfirmDialog>
      )}
      {open?.type === "cancel" && (
        <ConfirmDialog
          open
          onOpenChange={close}
          title="Cancel download"
          confirm="Cancel download"
          dismiss="Keep downloading"
          onConfirm={async () => {
            await api.admin.cancelPull(open.pull.id);
            toast("Download cancelled");
            await reread();
          }}
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
