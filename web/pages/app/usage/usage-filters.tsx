import { useQuery } from "@tanstack/react-query";
import { playgroundKeyId } from "../../../../src/protocol/dashboard-bounds.js";
import { isModelId, modelIds, type ModelId } from "../../../../src/protocol/models.js";
import { Segmented } from "../../../components/controls/segmented.tsx";
import { Select } from "../../../components/controls/select.tsx";
import { queries } from "../../../service/queries.ts";
import { periods, type PeriodId } from "./usage-period.ts";

export interface UsageChoice {
  period: PeriodId;
  /** A key's id; empty for all. */
  key: string;
  model: ModelId | "";
}

/** What is in the address may be mistyped: then it is as if it were not there. */
export const choiceOf = ({ period, key, model }: Record<keyof UsageChoice, string>): UsageChoice => ({
  period: periods.find(({ id }) => id === period)?.id ?? "24h",
  key: key.slice(0, 64),
  model: isModelId(model) ? model : "",
});

interface UsageFiltersProps {
  choice: UsageChoice;
  onChange: (choice: UsageChoice) => void;
}

export function UsageFilters({ choice, onChange }: UsageFiltersProps) {
  const { data } = useQuery(queries.keys);
  const keys = data?.keys ?? [];
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Segmented
        label="Period"
        options={periods}
        value={choice.period}
        onChange={(period) => onChange({ ...choice, period })}
      />
      <div className="flex w-full gap-3 sm:ml-auto sm:w-auto">
        <Select
          size="sm"
          aria-label="Key"
          className="min-w-0 flex-1 sm:w-44"
          value={choice.key}
          onChange={(event) => onChange({ ...choice, key: event.target.value })}
          options={[
            { value: "", label: "All keys" },
            ...keys.map((key) => ({ value: key.id, label: `${key.name} (…${key.lastFour})` })),
            { value: playgroundKeyId, label: "Playground" },
          ]}
        />
        <Select
          size="sm"
          aria-label="Model"
          className="min-w-0 flex-1 sm:w-36"
          value={choice.model}
          onChange={({ target: { value } }) => onChange({ ...choice, model: isModelId(value) ? value : "" })}
          options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
        />
      </div>
    </div>
  );
}
