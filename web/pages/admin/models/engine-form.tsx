/** An engine on the network. It is checked first, and the findings are shown before it can be used. */
import { useState } from "react";
import type { EnginePreflight } from "../../../../src/core/model-views.js";
import type { ModelId } from "../../../../src/core/models.js";
import { api } from "../../../service/api.ts";
import { Button } from "../../../components/controls/button.tsx";
import { Callout } from "../../../components/states/callout.tsx";
import { Checkbox } from "../../../components/controls/checkbox.tsx";
import { Field, Input, PasswordInput, Select, unaided } from "../../../components/controls/field.tsx";
import { Form, FormFailure } from "../../../components/controls/form.tsx";
import { useChange } from "../../../hooks/use-change.ts";
import type { Choice } from "./choice.tsx";
import { bodyOf, emptyEngine, profileOptions, type EngineDraft } from "./engine-draft.ts";

export function EngineForm({ model, choose }: { model: ModelId; choose: Choice }) {
  const [draft, setDraft] = useState(emptyEngine);
  const look = useChange(() => api.admin.preflight(bodyOf(draft)));
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
  const isRefused = look.data?.findings.some(({ level }) => level === "refuse") === true;
  const isReady = look.data !== undefined && !isRefused;
  return (
    <Form
      className="grid grid-cols-1 gap-x-4 gap-y-5 sm:grid-cols-2"
      error={error}
      onSubmit={() => (isReady ? use() : look.mutate())}
    >
      <Field label="Address" name="url" className="sm:col-span-2">
        <Input
          value={draft.url}
          maxLength={2000}
          placeholder="http://gpu-1:8000/v1"
          {...unaided}
          onValue={(value) => set({ url: value })}
        />
      </Field>
      <Field label="Kind of engine" name="profile">
        <Select value={draft.profile} options={profileOptions} onValue={(value) => set({ profile: value })} />
      </Field>
      <Field label="Model name on the engine" aside="optional" name="name">
        <Input value={draft.name} maxLength={200} {...unaided} onValue={(value) => set({ name: value })} />
      </Field>
      <Field label="Key" aside="optional" hint="Stored, never shown again." name="key">
        <PasswordInput
          value={draft.key}
          maxLength={1000}
          autoComplete="off"
          onValue={(value) => set({ key: value })}
        />
      </Field>
      <Field
        label="Context, in tokens"
        aside="optional"
        hint="If the engine does not report it."
        name="contextTokens"
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          value={draft.contextTokens}
          onValue={(value) => set({ contextTokens: value.trim() })}
        />
      </Field>
      <Checkbox
        className="sm:col-span-2"
        label="Accept a prompt cache shared between accounts"
        hint="For engines that cannot isolate accounts."
        checked={draft.acceptSharedCache}
        onChange={(checked) => set({ acceptSharedCache: checked })}
      />
      <Checkbox
        className="sm:col-span-2"
        label="Allow a public address"
        checked={draft.allowPublic}
        onChange={(checked) => set({ allowPublic: checked })}
      />
      <Checkbox
        className="sm:col-span-2"
        label="Its model reads images"
        hint="If the engine does not report it."
        checked={draft.vision}
        onChange={(checked) => set({ vision: checked })}
      />
      {look.data !== undefined && <Findings found={look.data} />}
      <FormFailure />
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
