/** What can serve a model: weights from the catalogue, from this server or a download, or an engine on the network. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelView } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input, unaided } from "../../../components/controls/field.tsx";
import { Form, FormFailure } from "../../../components/controls/form.tsx";
import { Tabs } from "../../../components/controls/tabs.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Loaded } from "../../../components/states/loaded.tsx";
import { api } from "../../../service/api.ts";
import { queries } from "../../../service/queries.ts";
import { formatSize } from "../../../units.ts";
import { CatalogChoices } from "./catalog-choices.tsx";
import { useChoice, WithoutDraft, type Choice } from "./choice.tsx";
import { EngineForm } from "./engine-form.tsx";
import { FileChoices } from "./file-choices.tsx";

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

/** Weights from Hugging Face or another https address. */
interface ReferenceFormProps {
  hosts: readonly string[];
  model: ModelId;
  choose: Choice;
}

function ReferenceForm({ hosts, model, choose }: ReferenceFormProps) {
  const [reference, setReference] = useState("");
  const [sha256, setSha256] = useState("");
  const submit = () =>
    choose.mutate({
      id: "reference",
      work: () =>
        api.admin.pull({
          reference: reference.trim(),
          model,
          ...(sha256.trim() === "" ? {} : { sha256: sha256.trim() }),
        }),
      done: "Download started",
    });
  return (
    <Form className="flex flex-col gap-5" error={choose.error} onSubmit={submit}>
      <Field
        label="Hugging Face repository or address"
        hint="hf:owner/repo, hf:owner/repo:Q4_K_M, hf:owner/repo/file.gguf, or the https address of a .gguf file."
        name="reference"
      >
        <Input
          value={reference}
          maxLength={2000}
          placeholder="hf:owner/repo:Q4_K_M"
          {...unaided}
          className="font-mono"
          onValue={setReference}
        />
      </Field>
      <Field
        label="SHA-256"
        aside="optional"
        hint="Hugging Face provides it. For other addresses, enter it to have the file verified."
        name="sha256"
      >
        <Input value={sha256} maxLength={64} {...unaided} className="font-mono" onValue={setSha256} />
      </Field>
      <FormFailure />
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" variant="primary" pending={choose.isPending}>
          Download
        </Button>
        <p className="min-w-0 flex-1 basis-56 text-sm wrap-anywhere text-muted">
          Allowed hosts: {hosts.join(", ")}.
        </p>
      </div>
    </Form>
  );
}
