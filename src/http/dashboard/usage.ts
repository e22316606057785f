/** Usage and what is left of the limits: one's own, those of a team, and for admins of all accounts. */
import { Readable } from "node:stream";
import { countCells, countHeadings, toCsv } from "../../core/usage/csv.js";
import { usageQuery, type LimitsNow } from "../../protocol/dashboard/api.js";
import { serviceUsageQuery, topQuery } from "../../protocol/dashboard/admin.js";
import type { MonthView } from "../../core/limits/month-use.js";
import type { ServiceUsageReport, TopUsers, UsageReport } from "../../core/usage/usage-views.js";
import { liveView } from "./live-view.js";
import type { DashboardParts } from "./parts.js";
import { admin, user, type DashboardRoute } from "./route.js";
import { spacesOf } from "./space.js";
import { gaugeView, planView, quotaView } from "./views.js";

const csvHeadings = ["start", "key", "key_last_four", "key_id", "model", ...countHeadings];

export function usageRoutes(parts: DashboardParts): DashboardRoute[] {
  const { http, dashboard } = parts;
  const { usageReports, monthUse, teams, teamUsage } = dashboard;
  return spacesOf(teams).flatMap(({ prefix, open }) => [
    user("GET", `${prefix}/usage`, async (visit, me): Promise<UsageReport> => {
      const { holder, team } = await open(visit, me, "usage");
      const request = usageRequest(visit.query(usageQuery));
      if (team !== null) return teamUsage.report(me.account, team, request);
      return usageReports.report(holder.account.id, request);
    }),
    user("GET", `${prefix}/usage/month`, async (visit, me): Promise<MonthView> => {
      const { holder, plan } = await open(visit, me, "usage");
      return monthUse.ofAccount(holder.account.id, plan);
    }),
    user("GET", `${prefix}/usage.csv`, async (visit, me) => {
      const { holder } = await open(visit, me, "usage_parts");
      const query = visit.query(usageQuery);
      const lines = await usageReports.lines(holder.account.id, usageRequest(query));
      visit.attach(`sotto-usage-${query.from.slice(0, 10)}-${query.to.slice(0, 10)}.csv`, "text/csv");
      return toCsv(
        csvHeadings,
        lines.map((line) => [
          ...[line.start, line.key, line.lastFour ?? "", line.keyId, line.model ?? ""],
          ...countCells(line),
        ]),
      );
    }),
    user("GET", `${prefix}/limits`, async (visit, me): Promise<LimitsNow> => {
      const { holder, plan } = await open(visit, me, "usage");
      const { requests, tokens, quotas, held } = await http.limits.read({ account: holder.account, plan });
      return {
        plan: planView(plan),
        requests: gaugeView(requests),
        tokens: gaugeView(tokens),
        concurrent: { limit: plan.concurrentRequests, held },
        quotas: quotas.map(quotaView),
        queues: (await liveView(parts)).queues,
      };
    }),
  ]);
}

/** The query with its times parsed. */
export const usageRequest = <Query extends { from: string; to: string }>({ from, to, ...rest }: Query) => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});

/** Of all accounts, for admins. */
export function serviceUsageRoutes({ dashboard: { serviceUsage } }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/usage", (visit): Promise<ServiceUsageReport> =>
      serviceUsage.report(usageRequest(visit.query(serviceUsageQuery))),
    ),
    admin("GET", "/admin/usage/top", (visit): Promise<TopUsers> => {
      const { measure, ...query } = visit.query(topQuery);
      return serviceUsage.top(usageRequest(query), measure);
    }),
    admin("GET", "/admin/usage.csv", async (visit) => {
      const query = visit.query(serviceUsageQuery);
      const lines = serviceUsage.csv(usageRequest(query));
      // An invalid filter is answered as an error rather than with a file that breaks off.
      const first = await lines.next();
      visit.attach(`sotto-service-usage-${query.from.slice(0, 10)}-${query.to.slice(0, 10)}.csv`, "text/csv");
      return Readable.from(after(first.done === true ? "" : first.value, lines));
    }),
  ];
}

async function* after(first: string, rest: AsyncGenerator<string, void, undefined>): AsyncGenerator<string> {
  yield first;
  for await (const text of rest) if (text !== "") yield text;
}
