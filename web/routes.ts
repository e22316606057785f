/** Every page in one table: its address, its layout, and the chunk it is loaded from. */
import type { ComponentType } from "react";
import type { pageAddresses } from "../src/protocol/pages/page-addresses.js";
import { lazy } from "./lazy.tsx";

export interface PageRoute {
  /** One that the service knows, or a pattern for several. */
  path: (typeof pageAddresses)[number] | "/docs/:page?";
  layout: "public" | "form" | "app" | "admin";
  Page: ComponentType;
}

export const routes: readonly PageRoute[] = [
  { path: "/", layout: "public", Page: lazy(() => import("./pages/landing.tsx")) },
  { path: "/docs/:page?", layout: "public", Page: lazy(() => import("./pages/docs/docs.tsx")) },
  { path: "/changelog", layout: "public", Page: lazy(() => import("./pages/changelog.tsx")) },
  { path: "/status", layout: "public", Page: lazy(() => import("./pages/status.tsx")) },
  { path: "/verify", layout: "public", Page: lazy(() => import("./pages/verify.tsx")) },
  { path: "/transparency", layout: "public", Page: lazy(() => import("./pages/transparency.tsx")) },

  { path: "/sign-up", layout: "form", Page: lazy(() => import("./pages/sign-up.tsx")) },
  { path: "/sign-in", layout: "form", Page: lazy(() => import("./pages/sign-in.tsx")) },
  { path: "/sign-in/join", layout: "form", Page: lazy(() => import("./pages/join-account.tsx")) },
  { path: "/sign-in/confirmed", layout: "form", Page: lazy(() => import("./pages/confirmed.tsx")) },
  { path: "/setup", layout: "form", Page: lazy(() => import("./pages/setup.tsx")) },
  { path: "/reset", layout: "form", Page: lazy(() => import("./pages/reset.tsx")) },
  { path: "/confirm", layout: "form", Page: lazy(() => import("./pages/confirm.tsx")) },
  { path: "/join", layout: "form", Page: lazy(() => import("./pages/join.tsx")) },

  { path: "/app", layout: "app", Page: lazy(() => import("./pages/app/overview.tsx")) },
  { path: "/app/keys", layout: "app", Page: lazy(() => import("./pages/app/keys.tsx")) },
  { path: "/app/connect", layout: "app", Page: lazy(() => import("./pages/app/connect.tsx")) },
  { path: "/app/usage", layout: "app", Page: lazy(() => import("./pages/app/usage.tsx")) },
  { path: "/app/playground", layout: "app", Page: lazy(() => import("./pages/app/playground.tsx")) },
  { path: "/app/limits", layout: "app", Page: lazy(() => import("./pages/app/limits.tsx")) },
  { path: "/app/account", layout: "app", Page: lazy(() => import("./pages/app/account.tsx")) },
  { path: "/app/security", layout: "app", Page: lazy(() => import("./pages/app/security.tsx")) },

  { path: "/app/teams/:team", layout: "app", Page: lazy(() => import("./pages/app/team.tsx")) },
  { path: "/app/teams/:team/keys", layout: "app", Page: lazy(() => import("./pages/app/keys.tsx")) },
  {
    path: "/app/teams/:team/playground",
    layout: "app",
    Page: lazy(() => import("./pages/app/playground.tsx")),
  },
  { path: "/app/teams/:team/usage", layout: "app", Page: lazy(() => import("./pages/app/usage.tsx")) },
  { path: "/app/teams/:team/limits", layout: "app", Page: lazy(() => import("./pages/app/limits.tsx")) },

  { path: "/admin/usage", layout: "admin", Page: lazy(() => import("./pages/admin/usage.tsx")) },
  { path: "/admin/accounts", layout: "admin", Page: lazy(() => import("./pages/admin/accounts.tsx")) },
  { path: "/admin/accounts/:id", layout: "admin", Page: lazy(() => import("./pages/admin/account.tsx")) },
  { path: "/admin/teams", layout: "admin", Page: lazy(() => import("./pages/admin/teams.tsx")) },
  { path: "/admin/teams/:id", layout: "admin", Page: lazy(() => import("./pages/admin/team.tsx")) },
  { path: "/admin/plans", layout: "admin", Page: lazy(() => import("./pages/admin/plans.tsx")) },
  { path: "/admin/models", layout: "admin", Page: lazy(() => import("./pages/admin/models.tsx")) },
  { path: "/admin/engines", layout: "admin", Page: lazy(() => import("./pages/admin/engines.tsx")) },
  { path: "/admin/changelog", layout: "admin", Page: lazy(() => import("./pages/admin/changelog.tsx")) },
  { path: "/admin/maintenance", layout: "admin", Page: lazy(() => import("./pages/admin/maintenance.tsx")) },
  { path: "/admin/sign-in", layout: "admin", Page: lazy(() => import("./pages/admin/sign-in.tsx")) },
  { path: "/admin/webhooks", layout: "admin", Page: lazy(() => import("./pages/admin/webhooks.tsx")) },
  { path: "/admin/audit", layout: "admin", Page: lazy(() => import("./pages/admin/audit.tsx")) },
];
