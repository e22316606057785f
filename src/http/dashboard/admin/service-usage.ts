/** What all accounts used, for admins. */
import { Readable } from "node:stream";
import { serviceUsageQuery, topQuery } from "../../../protocol/dashboard/admin.js";
import type { ServiceUsageReport, TopUsers } from "../../../core/usage/usage-views.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";
import { usageRequest } from "../usage.js";

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
