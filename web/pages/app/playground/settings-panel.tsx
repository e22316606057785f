import { useQuery } from "@tanstack/react-query";
import type { ModelFacts } from "../../../../src/protocol/dashboard/api.js";
import type { ChatModelId } from "../../../../src/core/models.js";
import { Button } from "../../../components/controls/button.tsx";
import { Dialog } from "../../../components/overlays/dialog.tsx";
import { Field, Input, Select, Textarea } from "../../../components/controls/field.tsx";
import { modelFactLine } from "../../../components/models/model-facts.tsx";
import { Slider } from "../../../components/controls/slider.tsx";
import { queries } from "../../../service/queries.ts";
import { formatCount } from "../../../units.ts";
import { privateText } from "./private-text.ts";
import {
  defaultSettings,
  efforts,
  functionNames,
  samplingDefaults,
  type settingsErrors,
  type Settings,
} from "./settings.ts";
import { exampleTools } from "./tools.ts";

interface SettingsPanelProps {
  settings: Settings;
  onChange: (settings: Settings) => void;
  models: readonly ChatModelId[];
  /** The default maximum reply length of each selected model; empty while unknown. */
  defaultTokens: readonly number[];
  /** The models are chosen elsewhere. */
  comparing: boolean;
  faults: ReturnType<typeof settingsErrors>;
  onPresets: () => void;
}

export function SettingsPanel({
  settings,
  onChange,
  models,
  defaultTokens,
  comparing,
  faults,
  onPresets,
}: SettingsPanelProps) {
  const facts = useQuery(queries.models).data?.models.find(({ id }) => id === settings.model);
  const modelHint = facts === undefined ? undefined : <ModelHint facts={facts} />;
  const names = functionNames(settings.tools);
  const isKnown = settings.toolChoice.startsWith("function:")
    ? names.includes(settings.toolChoice.slice("function:".length))
    : true;
  const toolChoice = isKnown ? settings.toolChoice : "";
  const defaults = [...new Set(defaultTokens)].map(formatCount).join(" or ");
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  return (
    <div className="flex flex-col gap-4">
      {!comparing && (
        <Field label="Model" hint={modelHint}>
          <Select
            value={settings.model}
            options={models.map((model) => ({ value: model, label: model }))}
            onValue={(chosen) => {
              const model = models.find((one) => one === chosen);
              if (model !== undefined) set({ model });
            }}
          />
        </Field>
      )}
      <Field label="System prompt">
        <Textarea
          {...privateText}
          rows={3}
          placeholder="How the model should behave"
          value={settings.system}
          onValue={(value) => set({ system: value })}
          className="max-h-48"
        />
      </Field>
      {sliders.map(({ name, ...slider }) => (
        <Slider
          key={name}
          {...slider}
          fallback={samplingDefaults[name]}
          value={settings[name]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <Field
        label="Max tokens"
        hint="A longer reply is cut off."
        // While nothing is typed it is in the field.
        aside={settings.maxTokens === "" || defaults === "" ? undefined : `${defaults} by default`}
        error={faults.maxTokens}
      >
        <Input
          {...privateText}
          inputMode="numeric"
          placeholder={defaults === "" ? "" : `Default: ${defaults}`}
          value={settings.maxTokens}
          onValue={(value) => set({ maxTokens: value.trim() })}
        />
      </Field>
      <Field
        label="Stop sequences"
        hint="One per line, up to 16. \n is a line break."
        aside="none by default"
        error={faults.stop}
      >
        <Textarea
          {...privateText}
          rows={2}
          value={settings.stop}
          onValue={(value) => set({ stop: value })}
          className="max-h-32 min-h-16 font-mono"
        />
      </Field>
      <Field
        label="Tools"
        hint="A JSON array of functions that the model may call. You answer the calls by hand."
        error={faults.tools}
        aside={
          // One button for both, so that the focus stays on it.
          <Button
            size="sm"
            variant="quiet"
            className="-my-1.5 -mr-2.5"
            onClick={() => set({ tools: settings.tools === "" ? exampleTools : "", toolChoice: "" })}
          >
            {settings.tools === "" ? "Use an example" : "Remove tools"}
          </Button>
        }
      >
        <Textarea
          {...privateText}
          rows={3}
          placeholder="None"
          value={settings.tools}
          onValue={(value) => set({ tools: value })}
          className="max-h-80 font-mono"
        />
      </Field>
      {names.length > 0 && (
        <Field label="Tool choice">
          <Select
            value={toolChoice}
            options={[
              { value: "", label: "Auto (default)" },
              { value: "none", label: "None" },
              { value: "required", label: "Required" },
              ...names.map((name) => ({ value: `function:${name}`, label: name })),
            ]}
            onValue={(value) => set({ toolChoice: value })}
          />
        </Field>
      )}
      <Field label="Reasoning effort" hint="For reasoning models.">
        <Select
          value={settings.effort}
          options={[
            { value: "", label: "The model’s default" },
            ...efforts.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) })),
          ]}
          onValue={(value) => set({ effort: value })}
        />
      </Field>
      <div className="flex gap-2">
        <Button size="sm" onClick={onPresets}>
          Presets
        </Button>
        <Button size="sm" onClick={() => onChange(defaultSettings(settings.model))}>
          Reset all
        </Button>
      </div>
    </div>
  );
}

const sliders = [
  { name: "temperature", label: "Temperature", min: 0, max: 2, step: 0.05 },
  { name: "topP", label: "Top P", fallbackText: "model’s own", min: 0, max: 1, step: 0.01 },
  { name: "frequencyPenalty", label: "Frequency penalty", min: -2, max: 2, step: 0.1 },
  { name: "presencePenalty", label: "Presence penalty", min: -2, max: 2, step: 0.1 },
] as const;

function ModelHint({ facts }: { facts: ModelFacts }) {
  return (
    <span className="wrap-anywhere">
      {facts.description !== null && <span className="block text-ink">{facts.description}</span>}
      {modelFactLine(facts)}
    </span>
  );
}

/** The same controls on a small screen. */
export function SettingsDialog({ onClose, ...panel }: SettingsPanelProps & { onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      title="Settings"
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SettingsPanel {...panel} />
    </Dialog>
  );
}
