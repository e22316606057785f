/** What can be put behind a model: from the catalogue, from this server, from elsewhere, or an engine on the network. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ModelView } from "../../../../src/protocol/dashboard-models.js";
import { Callout } from "../../../components/states/callout.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { Tabs } from "../../../components/controls/tabs.tsx";
import { toast } from "../../../components/overlays/toast.tsx";
import { queries } from "../../../service/queries.ts";
import { formatSize } from "../../../units.ts";
import { CatalogChoices } from "./catalog-choices.tsx";
import { EngineForm } from "./engine-form.tsx";
import { FileChoices } from "./file-choices.tsx";
import { ReferenceForm } from "./reference-form.tsx";

export function ChangeDialog({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const { data, error, refetch } = useQuery(queries.admin.modelChoices);
  const choose = useChoice(onClose);
  const common = { model: model.model, choose };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!choose.isPending}
      size="lg"
      title={`Change ${model.model}`}
      description={
        data === undefined
          ? "Looking up what this machine has room for."
          : `Free now: ${formatSize(data.availableMemoryBytes)} of memory, ${formatSize(data.freeDiskBytes)} of disk space.`
      }
    >
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={6} />
        ) : (
          <ErrorState error={error} onRetry={refetch} what="the choices" />
        )
      ) : (
        <Tabs
          label="Where it comes from"
          onValueChange={choose.reset}
          items={[
            {
              id: "catalog",
              label: "Catalogue",
              content: <CatalogChoices entries={data.catalog} {...common} />,
            },
            {
              id: "files",
              label: "Files",
              content: <FileChoices choices={data} current={model} {...common} />,
            },
            { id: "reference", label: "Download", content: <ReferenceForm hosts={data.hosts} {...common} /> },
            { id: "engine", label: "Engine", content: <EngineForm {...common} /> },
          ]}
        />
      )}
    </Dialog>
  );
}

export type Choice = ReturnType<typeof useChoice>;

/** Carries out one choice: says so and closes, or keeps the error for the form it came from. */
function useChoice(onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ work }: { work: () => Promise<unknown>; id: string; done: string }) => work(),
    onSuccess: async (_, { done }) => {
      toast(done);
      onClose();
      await client.invalidateQueries({ queryKey: ["admin"] });
    },
  });
}

/** For choices without a field that could be at fault. */
export function ChoiceFailure({ choose }: { choose: Choice }) {
  if (choose.error === null) return null;
  return (
    <Callout tone="bad" className="mb-4">
      <span className="wrap-anywhere">{choose.error.message}</span>
    </Callout>
  );
}
