import { X } from "lucide-react";
import type { ChatModelId } from "../../../../../src/core/models.js";
import { IconButton } from "../../../../components/controls/button.tsx";
import { Select } from "../../../../components/controls/field.tsx";

interface ComparedModelsProps {
  models: readonly ChatModelId[];
  chosen: readonly [ChatModelId, ChatModelId];
  /** While a reply is being written. */
  locked: boolean;
  onChoose: (place: 0 | 1, model: ChatModelId) => void;
  /** Continues with the other one alone. */
  onRemove: (place: 0 | 1) => void;
}

const names = ["First model", "Second model"] as const;

/** Which two models are compared, above their replies. */
export function ComparedModels({ models, chosen, locked, onChoose, onRemove }: ComparedModelsProps) {
  const choice = (place: 0 | 1) => (
    <div className="flex min-w-0 items-center gap-1">
      <Select
        size="sm"
        aria-label={names[place]}
        className="min-w-0 flex-1"
        value={chosen[place]}
        options={models.map((model) => ({ value: model, label: model }))}
        onValue={(chosen) => {
          const model = models.find((one) => one === chosen);
          if (model !== undefined) onChoose(place, model);
        }}
      />
      <IconButton
        label={`Remove ${names[place].toLowerCase()}`}
        disabled={locked}
        onClick={() => onRemove(place)}
      >
        <X />
      </IconButton>
    </div>
  );
  return (
    <div role="group" aria-label="Compared models" className="mb-6 grid grid-cols-2 gap-4 md:gap-10">
      {choice(0)}
      {choice(1)}
    </div>
  );
}
