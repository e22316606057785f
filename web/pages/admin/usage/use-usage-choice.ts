/** The page's filters, kept in its address. */
import { isModelId, type ModelId } from "../../../../src/core/models.js";
import { useUrlFilters, withFilters } from "../../../hooks/use-url-filters.ts";
import {
  periodChoiceOf,
  periodFiltersOf,
  usualPeriodFilters,
  type PeriodChoice,
} from "../../app/usage/usage-choice.ts";

export interface ServiceChoice {
  period: PeriodChoice;
  model: ModelId | "";
  /** An id or an email address; empty for all. */
  account: string;
  /** A key's id; empty for all. */
  key: string;
  measure: "requests" | "tokens";
}

export type Choose = (change: Partial<ServiceChoice>) => void;

const usual = { ...usualPeriodFilters(), model: "", account: "", key: "", measure: "requests" };

export function useUsageChoice(): { choice: ServiceChoice; choose: Choose } {
  const [filters, setFilters] = useUrlFilters(usual);
  return { choice: choiceOf(filters), choose: (change) => setFilters(filtersOf(change)) };
}

/** The address of this page with other filters. */
export function usageAddress(choice: ServiceChoice): string {
  const text = withFilters(new URLSearchParams(), usual, filtersOf(choice)).toString();
  return text === "" ? "/admin/usage" : `/admin/usage?${text}`;
}

const choiceOf = ({ model, account, key, measure, ...when }: typeof usual): ServiceChoice => ({
  period: periodChoiceOf(when, Date.now()),
  model: isModelId(model) ? model : "",
  account,
  key,
  measure: measure === "tokens" ? "tokens" : "requests",
});

const filtersOf = ({ period, ...rest }: Partial<ServiceChoice>): Partial<typeof usual> => ({
  ...rest,
  ...(period === undefined ? {} : periodFiltersOf(period)),
});
