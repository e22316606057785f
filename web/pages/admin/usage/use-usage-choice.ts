/** What is looked at, kept in the page's address. */
import { useSearchParams } from "wouter";
import { isModelId, type ModelId } from "../../../../src/protocol/models.js";
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

const usual: ServiceChoice = { period: "24h", model: "", account: "", key: "", measure: "requests" };

export function useUsageChoice(): { choice: ServiceChoice; choose: Choose } {
  const [search, setSearch] = useSearchParams();
  const choice = choiceOf(search);
  return { choice, choose: (change) => setSearch(searchOf({ ...choice, ...change })) };
}

/** The address of this page with something else chosen. */
export function usageAddress(choice: ServiceChoice): string {
  const text = new URLSearchParams(searchOf(choice)).toString();
  return text === "" ? "/admin/usage" : `/admin/usage?${text}`;
}

function choiceOf(search: URLSearchParams): ServiceChoice {
  const model = search.get("model") ?? "";
  return {
    period: periods.find(({ id }) => id === search.get("period"))?.id ?? usual.period,
    model: isModelId(model) ? model : "",
    account: search.get("account") ?? "",
    key: search.get("key") ?? "",
    measure: search.get("measure") === "tokens" ? "tokens" : "requests",
  };
}

/** Without what is as usual. */
function searchOf(choice: ServiceChoice): Record<string, string> {
  return Object.fromEntries(
    Object.entries(choice).filter(
      ([name, value]) => !Object.entries(usual).some(([n, v]) => n === name && v === value),
    ),
  );
}
