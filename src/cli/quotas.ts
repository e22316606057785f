/** Those that are set, such as `5000 tokens/day`. */
import type { Quotas } from "../core/entities.js";
export function describeQuotas(quotas: Quotas): string[] {
  const { requestsPerDay, tokensPerDay, requestsPerMonth, tokensPerMonth } = quotas;
  return [
    requestsPerDay === null ? [] : [`${requestsPerDay} requests/day`],
    tokensPerDay === null ? [] : [`${tokensPerDay} tokens/day`],
    requestsPerMonth === null ? [] : [`${requestsPerMonth} requests/month`],
    tokensPerMonth === null ? [] : [`${tokensPerMonth} tokens/month`],
  ].flat();
}

export const quotasJson = (quotas: Quotas) => ({
  requests_per_day: quotas.requestsPerDay,
  tokens_per_day: quotas.tokensPerDay,
  requests_per_month: quotas.requestsPerMonth,
  tokens_per_month: quotas.tokensPerMonth,
});
