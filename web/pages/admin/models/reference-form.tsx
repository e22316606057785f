/** Weights from Hugging Face or another https address. */
import { useState } from "react";
import type { ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Field, Input } from "../../../components/controls/field.tsx";
import { Form, FormFailure } from "../../../components/controls/form.tsx";
import type { Choice } from "./choice.tsx";

interface ReferenceFormProps {
  hosts: readonly string[];
  model: ModelId;
  choose: Choice;
}

export function ReferenceForm({ hosts, model, choose }: ReferenceFormProps) {
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
          autoComplete="off"
          spellCheck={false}
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
        <Input
          value={sha256}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          onValue={setSha256}
        />
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
