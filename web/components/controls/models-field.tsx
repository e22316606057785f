/** Which models are allowed: all, or some by name. `null` means all, including models added later. */
import { modelIds, type ModelId } from "../../../src/core/models.js";
import { Checkbox } from "./checkbox.tsx";
import { Fieldset } from "./fieldset.tsx";

interface ModelsFieldProps {
  value: readonly ModelId[] | null;
  onChange: (models: ModelId[] | null) => void;
  /** What can be chosen from; all by default. */
  among?: readonly ModelId[];
}

export function ModelsField({ value, onChange, among = modelIds }: ModelsFieldProps) {
  const set = (model: ModelId, on: boolean) =>
    onChange(among.filter((one) => (one === model ? on : (value ?? []).includes(one))));
  return (
    <Fieldset legend="Models" name="models">
      <Checkbox
        label="All models"
        checked={value === null}
        onChange={(checked) => onChange(checked ? null : [...among])}
      />
      {value !== null && (
        <div className="flex flex-wrap gap-x-6 gap-y-2 pl-6.5">
          {among.map((model) => (
            <Checkbox
              key={model}
              label={model}
              checked={value.includes(model)}
              onChange={(checked) => set(model, checked)}
            />
          ))}
        </div>
      )}
    </Fieldset>
  );
}
