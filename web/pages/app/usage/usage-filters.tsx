import { useQuery } from "@tanstack/react-query";
import { playgroundKeyId } from "../../../../src/core/bounds.js";
import { isModelId, modelIds } from "../../../../src/core/models.js";
import { Combobox } from "../../../components/controls/combobox.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { useSpace } from "../../../hooks/use-space.ts";
import { queries } from "../../../service/queries.ts";
import { DayRangeFields } from "./day-range-fields.tsx";
import { PeriodButtons } from "./period-buttons.tsx";
import type { PeriodChoice, UsageChoice } from "./usage-choice.ts";

interface UsageFiltersProps {
  choice: UsageChoice;
  onChange: (choice: UsageChoice) => void;
}

export function UsageFilters({ choice, onChange }: UsageFiltersProps) {
  const space = useSpace();
  const { data } = useQuery(space.id === null ? queries.keys : queries.teamKeys(space.id));
  const keys = data?.keys ?? [];
  // Stays selected while the keys load.
  const isListed = ["", playgroundKeyId, ...keys.map(({ id }) => id)].includes(choice.key);
  const { period } = choice;
  const choosePeriod = (next: PeriodChoice) => onChange({ ...choice, period: next });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <PeriodButtons period={period} onChange={choosePeriod} />
      <div className="flex w-full gap-3 sm:ml-auto sm:w-auto">
        <Combobox
          label="Key"
          className="min-w-0 flex-1 sm:w-38"
          value={choice.key}
          onChange={(key) => onChange({ ...choice, key })}
          options={[
            { value: "", label: "All keys" },
            ...(space.id === null ? [{ value: playgroundKeyId, label: "Playground" }] : []),
            ...keys.map((key) => ({ value: key.id, label: `${key.name} (…${key.lastFour})` })),
            ...(isListed ? [] : [{ value: choice.key, label: "One key" }]),
          ]}
        />
        <Select
          size="sm"
          aria-label="Model"
          className="min-w-0 flex-1 sm:w-32"
          value={choice.model}
          onChange={({ target: { value } }) => onChange({ ...choice, model: isModelId(value) ? value : "" })}
          options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
        />
      </div>
      {typeof period !== "string" && <DayRangeFields range={period} onChange={choosePeriod} />}
    </div>
  );
}
