/** What can serve a model: weights from the catalogue, from this server or a download, or an engine on the network. */
import { useQuery } from "@tanstack/react-query";
import type { ModelView } from "../../../../src/core/model-views.js";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { SkeletonLines } from "../../../components/states/skeleton.tsx";
import { Tabs } from "../../../components/controls/tabs.tsx";
import { queries } from "../../../service/queries.ts";
import { formatSize } from "../../../units.ts";
import { useChoice } from "./choice.tsx";
import { CatalogChoices } from "./catalog-choices.tsx";
import { EngineForm } from "./engine-form.tsx";
import { FileChoices } from "./file-choices.tsx";
import { ReferenceForm } from "./reference-form.tsx";
import { WithoutDraft } from "./without-draft.tsx";

export function ChangeDialog({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const { data, error, refetch } = useQuery(queries.admin.modelChoices(model.model));
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
          ? "Checking what fits on this machine."
          : `Available: ${formatSize(data.availableMemoryBytes)} of memory, ${formatSize(data.freeDiskBytes)} of disk space.`
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
          label="Source"
          onValueChange={choose.reset}
          items={[
            {
              id: "catalog",
              label: "Catalogue",
              content: <CatalogChoices choices={data} draft={model.draft} {...common} />,
            },
            {
              id: "files",
              label: "Files",
              content: <FileChoices choices={data} current={model} {...common} />,
            },
            { id: "reference", label: "Download", content: <ReferenceForm hosts={data.hosts} {...common} /> },
            {
              id: "engine",
              label: "Engine",
              content: (
                <>
                  <WithoutDraft draft={model.draft} what="The engine" />
                  <EngineForm {...common} />
                </>
              ),
            },
          ]}
        />
      )}
    </Dialog>
  );
}
