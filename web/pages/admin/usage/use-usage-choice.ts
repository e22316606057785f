/** What is looked at, kept in the page's address. */
import { isModelId, type ModelId } from "../../../../src/protocol/models.js";
import { useUrlFilters, withFilters } from "../../../hooks/use-url-filters.ts";
import { periods, type PeriodId } from "../../app/usage/usage-period.ts";

export interface ServiceChoice {
  period: PeriodId;
  model: ModelId | "";
  /** An id or an email address; empty for all. */
  account: string;
  /** A key's id; empty for all. */
  key: string;
  measure: "requests" | "tokens";
}

export type Choose = (change: Partial<ServiceChoice>) => void;

const usual = { period: "24h", model: "", account: "", key: "", measure: "requests" };

export function useUsageChoice(): { choice: ServiceChoice; choose: Choose } {
  const [filters, choose] = useUrlFilters(usual);
  return { choice: choiceOf(filters), choose };
}

/** The address of this page with something else chosen. */
export function usageAddress(choice: ServiceChoice): string {
  const text = withFilters(new URLSearchParams(), usual, { ...choice }).toString();
  return text === "" ? "/admin/usage" : `/admin/usage?${text}`;
}

const choiceOf = ({ period, model, account, key, measure }: typeof usual): ServiceChoice => ({
  period: periods.find(({ id }) => id === period)?.id ?? "24h",
  model: isModelId(model) ? model : "",
  account,
  key,
  measure: measure === "tokens" ? "tokens" : "requests",
});
