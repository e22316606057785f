import { useQuery } from "@tanstack/react-query";
import { queries } from "./queries.ts";

/** The plans, for choosing one and for naming it. Until they are known, a plan is called by its id. */
export function usePlans() {
  const plans = useQuery(queries.admin.plans).data?.plans ?? [];
  return {
    plans,
    options: plans.map(({ id, name }) => ({ value: id, label: name })),
    nameOf: (id: string) => plans.find((plan) => plan.id === id)?.name ?? id,
  };
}
