import { isModelId, modelIds } from "../../../../src/core/models.js";
import { Select } from "../../../components/controls/select.tsx";
import { DayRangeFields } from "../../app/usage/day-range-fields.tsx";
import { PeriodButtons } from "../../app/usage/period-buttons.tsx";
import type { Choose, ServiceChoice } from "./use-usage-choice.ts";

export function ServiceFilters({ choice, choose }: { choice: ServiceChoice; choose: Choose }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <PeriodButtons period={choice.period} onChange={(period) => choose({ period })} />
      <Select
        size="sm"
        aria-label="Model"
        className="w-full sm:ml-auto sm:w-36"
        value={choice.model}
        onChange={({ target: { value } }) => choose({ model: isModelId(value) ? value : "" })}
        options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
      />
      {typeof choice.period !== "string" && (
        <DayRangeFields range={choice.period} onChange={(period) => choose({ period })} />
      )}
    </div>
  );
}
