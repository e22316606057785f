/** An engine on the network. It is checked first, and the findings are shown before it can be used. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { EnginePreflight } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { Form } from "../../../components/controls/form.tsx";
import { Input, PasswordInput } from "../../../components/controls/input.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { fieldError, formError } from "../../../form-errors.ts";
import type { Choice } from "./choice.tsx";
import { bodyOf, emptyEngine, profileOptions, type EngineDraft } from "./engine-draft.ts";

const fields = ["url", "profile", "name", "key", "contextTokens"];

export function EngineForm({ model, choose }: { model: ModelId; choose: Choice }) {
  const [draft, setDraft] = useState(emptyEngine);
  const look = useMutation({ mutationFn: () => api.admin.preflight(bodyOf(draft)), gcTime: 0 });
  const set = (change: Partial<EngineDraft>) => {
    setDraft({ ...draft, ...change });
    // The findings are about what was entered at the time.
    look.reset();
    choose.reset();
  };
  const use = () =>
    choose.mutate({
      id: "engine",
      work: () => api.admin.useEngine(model, bodyOf(draft)),
      done: `Switching ${model} to the engine`,
    });
  const error = choose.error ?? look.error;
  const failure = formError(error, fields);
  const isRefused = look.data?.findings.some(({ level }) => level === "refuse") === true;
  const isReady = look.data !== undefined && !isRefused;
  return (
    <Form
      className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
      error={error}
      onSubmit={() => (isReady ? use() : look.mutate())}
    >
      <Field label="Address" error={fieldError(error, "url")} className="sm:col-span-2">
        <Input
          value={draft.url}
          maxLength={2000}
          placeholder="http://gpu-1:8000/v1"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ url: event.target.value })}
        />
      </Field>
      <Field label="Kind of engine" error={fieldError(error, "profile")}>
        <Select
          value={draft.profile}
          options={profileOptions}
          onChange={(event) => set({ profile: event.target.value })}
        />
      </Field>
      <Field label="Model name on the engine" aside="optional" error={fieldError(error, "name")}>
        <Input
          value={draft.name}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label="Key" aside="optional" hint="Stored, never shown again." error={fieldError(error, "key")}>
        <PasswordInput
          value={draft.key}
          maxLength={1000}
          autoComplete="off"
          onChange={(event) => set({ key: event.target.value })}
        />
      </Field>
      <Field
        label="Context, in tokens"
        aside="optional"
        hint="If the engine does not report it."
        error={fieldError(error, "contextTokens")}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          value={draft.contextTokens}
          onChange={(event) => set({ contextTokens: event.target.value.trim() })}
        />
      </Field>
      <Checkbox
        className="sm:col-span-2"
        label="Accept a prompt cache shared between accounts"
        hint="For engines that cannot isolate accounts."
        checked={draft.acceptSharedCache}
        onChange={(event) => set({ acceptSharedCache: event.target.checked })}
      />
      <Checkbox
        className="sm:col-span-2"
        label="Allow a public address"
        checked={draft.allowPublic}
        onChange={(event) => set({ allowPublic: event.target.checked })}
      />
      <Checkbox
        className="sm:col-span-2"
        label="Its model reads images"
        hint="If the engine does not report it."
        checked={draft.vision}
        onChange={(event) => set({ vision: event.target.checked })}
      />
      {look.data !== undefined && <Findings found={look.data} />}
      {failure !== undefined && (
        <Callout tone="bad" className="sm:col-span-2">
          {failure}
        </Callout>
      )}
      <div className="sm:col-span-2">
        <Button type="submit" variant="primary" pending={look.isPending || choose.isPending}>
          {isReady ? `Use for ${model}` : "Check engine"}
        </Button>
      </div>
    </Form>
  );
}

function Findings({ found: { findings } }: { found: EnginePreflight }) {
  if (findings.length === 0) {
    return (
      <Callout className="sm:col-span-2" title="No problems found">
        The engine responds as expected.
      </Callout>
    );
  }
  return (
    <div role="status" className="flex flex-col gap-3 sm:col-span-2">
      {findings.map(({ level, text }) => (
        <Callout key={text} tone={level === "refuse" ? "bad" : "warn"} title={titles[level]}>
          <p className="wrap-anywhere">{text}</p>
        </Callout>
      ))}
    </div>
  );
}

const titles = { warn: "Warning", useless: "Not usable yet", refuse: "Cannot be used" };
