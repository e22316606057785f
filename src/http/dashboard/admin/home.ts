/** The home page of admins: the checklist, the last hour of this process, its engines and its machine. */
import type { OwnFacts } from "../../../core/admin/checklist.js";
import { modelIds } from "../../../core/models.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";
import { type AdminHome, tickBody } from "../../../protocol/dashboard/admin.js";

export function adminHomeRoutes(parts: DashboardParts): DashboardRoute[] {
  const { http, dashboard, queue, sharers, suggestion, publicUrl, isSqlite } = parts;
  const { checklist, live, rates, outbox, signUpMode } = dashboard;
  const own = (): OwnFacts => ({
    usesStarter: suggestion() !== null,
    signUp: signUpMode,
    canMail: outbox.canMail,
    publicUrl,
    isSqlite,
  });
  const engines = (): AdminHome["engines"] =>
    sharers().flatMap((models) => {
      const [model] = models;
      if (model === undefined) return [];
      const { state, serving, capacity, active, problem } = http.engineStatus(model);
      const { waiting } = queue(model);
      return [{ models, serving, state, active, capacity, waiting, problem: problem?.text ?? null }];
    });
  return [
    admin("GET", "/admin/home", async (): Promise<AdminHome> => {
      const shown = engines();
      const sum = (of: (engine: AdminHome["engines"][number]) => number) =>
        shown.reduce((total, engine) => total + of(engine), 0);
      return {
        checklist: await checklist.read(own()),
        suggestion: suggestion(),
        startedAt: live.startedAt.toISOString(),
        minutes: live.read(),
        tokensPerSecond: rates.tokensPerSecond(modelIds),
        running: sum(({ active }) => active),
        waiting: sum(({ waiting }) => waiting),
        capacity: sum(({ capacity }) => capacity),
        machine: live.machine,
        engines: shown,
      };
    }),
    admin("POST", "/admin/checklist/hide", async () => {
      await checklist.hide(own());
      return {};
    }),
    admin("POST", "/admin/checklist/:id", async (visit) => {
      const { ticked } = await visit.body(tickBody);
      await checklist.tick(visit.id, ticked);
      return {};
    }),
  ];
}
