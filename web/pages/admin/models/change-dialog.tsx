/** What can serve a model: weights from the catalogue, from this server or a download, or an engine on the network. */
import { useQuery } from "@tanstack/react-query";
import type { ModelView } from "../../../../src/core/model-views.js";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Tabs } from "../../../components/controls/tabs.tsx";
import { Loaded } from "../../../components/states/loaded.tsx";
import { queries } from "../../../service/queries.ts";
import { formatSize } from "../../../units.ts";
import { useChoice, WithoutDraft } from "./choice.tsx";
import { CatalogChoices } from "./catalog-choices.tsx";
import { EngineForm } from "./engine-form.tsx";
import { FileChoices } from "./file-choices.tsx";
import { ReferenceForm } from "./reference-form.tsx";

export function ChangeDialog({ model, onClose }: { model: ModelView; onClose: () => void }) {
  const read = useQuery(queries.admin.modelChoices(model.model));
  const { data } = read;
  const choose = useChoice(onClose);
  const common = { model: model.model, choose };
  return (
    <Dialog
      onClose={onClose}
      dismissable={!choose.isPending}
      size="lg"
      title={`Change ${model.model}`}
      description={
        data === undefined
          ? "Checking what fits on this machine."
          : `Available: ${formatSize(data.availableMemoryBytes)} of memory, ${formatSize(data.freeDiskBytes)} of disk space.`
      }
    >
      <Loaded query={read} what="the choices" lines={6}>
        {(data) => (
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
              {
                id: "reference",
                label: "Download",
                content: <ReferenceForm hosts={data.hosts} {...common} />,
              },
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
      </Loaded>
    </Dialog>
  );
}
