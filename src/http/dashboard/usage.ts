/** One's own usage and what is left of the limits. */
import { toCsv } from "../../core/usage/csv.js";
import { countCells, countHeadings } from "../../core/usage/usage-columns.js";
import { usageQuery, type LimitsNow } from "../../protocol/dashboard/api.js";
import type { MonthView } from "../../core/limits/month-use.js";
import type { UsageReport } from "../../core/usage/usage-views.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";
import { gaugeView, planView, quotaView } from "./views.js";

const csvHeadings = ["start", "key", "key_last_four", "key_id", "model", ...countHeadings];

export function usageRoutes({ http, dashboard, queue, sharers }: DashboardParts): DashboardRoute[] {
  const { usageReports, monthUse } = dashboard;
  return [
    user("GET", "/usage", (visit, { account }): Promise<UsageReport> =>
      usageReports.report(account.id, usageRequest(visit.query(usageQuery))),
    ),
    user("GET", "/usage/month", (_visit, { account, plan }): Promise<MonthView> =>
      monthUse.ofAccount(account.id, plan),
    ),
    user("GET", "/usage.csv", async (visit, { account }) => {
      const query = visit.query(usageQuery);
      const lines = await usageReports.lines(account.id, usageRequest(query));
      visit.attach(`sotto-usage-${query.from.slice(0, 10)}-${query.to.slice(0, 10)}.csv`, "text/csv");
      return toCsv(
        csvHeadings,
        lines.map((line) => [
          ...[line.start, line.key, line.lastFour ?? "", line.keyId, line.model ?? ""],
          ...countCells(line),
        ]),
      );
    }),
    user("GET", "/limits", async (_visit, me): Promise<LimitsNow> => {
      const { requests, tokens, quotas, held } = await http.limits.read(me);
      return {
        plan: planView(me.plan),
        requests: gaugeView(requests),
        tokens: gaugeView(tokens),
        concurrent: { limit: me.plan.concurrentRequests, held },
        quotas: quotas.map(quotaView),
        queues: sharers().flatMap((models) => {
          const [model] = models;
          if (model === undefined) return [];
          const { running, waiting } = queue(model);
          return [{ models, running, waiting, capacity: http.engineStatus(model).capacity }];
        }),
      };
    }),
  ];
}

/** The query with its times parsed. */
export const usageRequest = <Query extends { from: string; to: string }>({ from, to, ...rest }: Query) => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});
