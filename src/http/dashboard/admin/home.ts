/** The home page of admins: the checklist, the last hour of this server, its engines and its machine. */
import type { OwnFacts } from "../../../core/admin/checklist.js";
import type { OperatorFacts } from "../../../core/operator.js";
import { operatorBody } from "../../../protocol/dashboard/api.js";
import { liveView } from "../live-view.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";
import { type AbuseAlertList, type AdminHome, tickBody } from "../../../protocol/dashboard/admin.js";

export function adminHomeRoutes(parts: DashboardParts): DashboardRoute[] {
  const { dashboard, suggestion, publicUrl, backupCommand } = parts;
  const { abuseAlerts, checklist, live, outbox, signUpMode, operator, audit } = dashboard;
  const own = async (): Promise<OwnFacts> => ({
    usesStarter: suggestion() !== null,
    signUp: signUpMode,
    canMail: outbox.canMail,
    publicUrl,
    backupCommand,
    hasOperator: isComplete(await operator.read()),
  });
  const pageOnly = {
    sessionOnly: "What the admins' home page shows of itself; the rest has routes of its own.",
  };
  return [
    admin("GET", "/admin/home", pageOnly, homePage),
    admin("GET", "/admin/operator", () => operator.read()),
    admin("PUT", "/admin/operator", async (visit, actor) =>
      operator.save(audit, actor, await visit.body(operatorBody)),
    ),
    admin("POST", "/admin/checklist/hide", pageOnly, async () => checklist.hide(await own())),
    admin("GET", "/admin/alerts", async (): Promise<AbuseAlertList> => ({
      alerts: await abuseAlerts.list(),
    })),
    admin("POST", "/admin/alerts/:id/dismiss", ({ id }, actor) => abuseAlerts.dismiss(actor, id)),
    admin("POST", "/admin/alerts/:id/restore", ({ id }, actor) => abuseAlerts.restore(actor, id)),
    admin("POST", "/admin/checklist/:id", pageOnly, async (visit) => {
      const { ticked } = await visit.body(tickBody);
      await checklist.tick(visit.id, ticked);
    }),
  ];

  async function homePage(): Promise<AdminHome> {
    const { minutes, tokensPerSecond, ...now } = await liveView(parts);
    const engines = now.engines.map(({ models, serving, state, active, capacity, waiting, problem }) => {
      return { models, serving, state, active, capacity, waiting, problem };
    });
    const sum = (count: "active" | "waiting" | "capacity") =>
      engines.reduce((total, engine) => total + engine[count], 0);
    return {
      checklist: await checklist.read(await own()),
      suggestion: suggestion(),
      startedAt: live.startedAt.toISOString(),
      minutes,
      tokensPerSecond,
      running: sum("active"),
      waiting: sum("waiting"),
      capacity: sum("capacity"),
      machine: live.machine,
      engines,
    };
  }
}

const isComplete = ({ name, contact }: OperatorFacts): boolean => name !== null && contact !== null;
