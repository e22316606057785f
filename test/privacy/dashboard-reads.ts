/** Every GET route of the dashboard's API, with a sample query: none may return user content. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "./installation.js";

type Who = "ada" | "operator";

const hourMs = 3_600_000;

function lastDays(days: number, step: "hour" | "day"): string {
  const to = Math.ceil(Date.now() / (24 * hourMs)) * 24 * hourMs;
  const times = { from: new Date(to - days * 24 * hourMs), to: new Date(to) };
  return new URLSearchParams({ from: times.from.toISOString(), to: times.to.toISOString(), step }).toString();
}

const all = new URLSearchParams({ status: "all" }).toString();

/** What `:id` stands for where it is no account; others get an id that does not exist, and what is answered then. */
const ids: Record<string, string> = { plans: "free", models: "omega" };

/** By route. `:id` is the caller's account, or the team that it owns, or as in `ids`. */
export const reads: Record<string, [who: Who, query?: string]> = {
  "/site": ["ada"],
  "/status": ["ada"],
  "/status/history": ["ada"],
  "/changelog": ["ada"],
  "/models": ["ada"],
  "/me": ["ada"],
  "/me/stored": ["ada"],
  "/me/stored/rows": ["ada", "table=usage&after=9999999999999%20key%20omega"],
  "/me/export": ["ada"],
  "/me/memory": ["ada"],
  "/me/email": ["ada"],
  "/me/identities": ["ada"],
  "/sign-in/join": ["ada"],
  "/connection-test": ["ada"],
  "/usage/month": ["ada"],
  "/keys": ["ada"],
  "/keys/page": ["ada", all],
  "/keys/usage": ["ada"],
  "/usage": ["ada", lastDays(7, "hour")],
  "/usage.csv": ["ada", lastDays(30, "day")],
  "/limits": ["ada"],
  "/me/sessions": ["ada"],
  "/me/factors": ["ada"],
  "/teams": ["ada"],
  "/teams/:team": ["ada"],
  "/teams/:team/counts": ["ada"],
  "/teams/:team/usage/members": ["ada", lastDays(7, "hour")],
  "/teams/:team/invites": ["ada"],
  "/teams/:team/usage/month": ["ada"],
  "/teams/:team/keys": ["ada"],
  "/teams/:team/keys/page": ["ada", all],
  "/teams/:team/keys/usage": ["ada"],
  "/teams/:team/usage": ["ada", lastDays(7, "hour")],
  "/teams/:team/usage.csv": ["ada", lastDays(30, "day")],
  "/teams/:team/limits": ["ada"],
  "/admin/teams": ["operator"],
  "/admin/teams/:id": ["operator"],
  "/admin/teams/:id/usage": ["operator", lastDays(90, "day")],
  "/admin/teams/:id/month": ["operator"],
  "/admin/second-factor": ["operator"],
  "/admin/home": ["operator"],
  "/admin/accounts": ["operator"],
  "/admin/accounts/:id": ["operator"],
  "/admin/accounts/:id/keys": ["operator"],
  "/admin/accounts/:id/month": ["operator"],
  "/admin/alerts": ["operator"],
  "/admin/accounts/:id/usage": ["operator", lastDays(90, "day")],
  "/admin/invites": ["operator"],
  "/admin/plans": ["operator"],
  "/admin/plans/month": ["operator"],
  "/admin/webhooks": ["operator"],
  "/admin/webhook-deliveries": ["operator"],
  "/admin/audit": ["operator"],
  "/admin/audit.csv": ["operator"],
  "/admin/engines": ["operator"],
  "/admin/models": ["operator"],
  "/admin/models/choices": ["operator"],
  "/admin/model-suggestion": ["operator"],
  "/admin/changelog/drafts": ["operator"],
  "/admin/providers": ["operator"],
  "/admin/operator": ["operator"],
  "/admin/changelog": ["operator"],
  "/admin/maintenance": ["operator"],
  "/admin/keys": ["operator", "account=:id"],
  "/admin/plans/:id": ["operator"],
  "/admin/models/:id": ["operator"],
  "/admin/keys/:id": ["operator"],
  "/admin/changelog/:id": ["operator"],
  "/admin/maintenance/:id": ["operator"],
  "/admin/invites/:id": ["operator"],
  "/admin/providers/:id": ["operator"],
  "/admin/pulls/:id": ["operator"],
  "/admin/webhooks/:id": ["operator"],
  "/admin/webhook-deliveries/:id": ["operator"],
  "/admin/usage": ["operator", lastDays(90, "day")],
  "/admin/usage.csv": ["operator", lastDays(7, "hour")],
  "/admin/usage/top": ["operator", `${lastDays(30, "day")}&measure=tokens`],
};

const inSpace = "${prefix}";

/** The routes that there are, from their sources. */
export function readRoutes(): string[] {
  const folder = "src/http/dashboard";
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), "utf8").matchAll(
        /\b(?:anyone|user|admin)\(\s*"GET",\s*["`]([^"`]+)["`]/g,
      ),
    ])
    .flatMap(([, route = ""]) =>
      // The same in a personal space and in a team's.
      route.startsWith(inSpace)
        ? ["", "/teams/:team"].map((prefix) => route.replace(inSpace, prefix))
        : [route],
    );
}

/** One that the account owns, made when there is none. */
async function teamOf({ ada, operator }: Installation, ownerEmail: string): Promise<string> {
  const { teams } = await ada.get<{ teams: { id: string }[] }>("/api/teams");
  const [known] = teams;
  if (known !== undefined) return known.id;
  const made = await operator.post<{ team: { id: string } }>("/api/admin/teams", {
    ...{ name: "Readers", planId: "free", ownerEmail },
  });
  return made.team.id;
}

/** What each of them answers, by its route. */
export async function readEverything(installation: Installation): Promise<Record<string, string>> {
  const { account } = await installation.ada.get<{ account: { id: string; email: string } }>("/api/me");
  const team = await teamOf(installation, account.email);
  const texts: Record<string, string> = {};
  for (const [route, [who, query = ""]] of Object.entries(reads)) {
    const [, of = ""] = /^\/admin\/([\w-]+)\/:id$/.exec(route) ?? [];
    const isOther = of !== "" && !["accounts", "teams"].includes(of);
    const path = route
      .replace("/teams/:id", `/teams/${team}`)
      .replace(":team", team)
      .replace(":id", isOther ? (ids[of] ?? "none") : account.id);
    const { status, text } = await installation[who].send(
      "GET",
      `/api${path}?${query.replace(":id", account.id)}`,
    );
    const expected = isOther && ids[of] === undefined ? 404 : 200;
    if (status !== expected) throw new Error(`GET ${route} answered ${status}: ${text}`);
    texts[route] = text;
  }
  return texts;
}
