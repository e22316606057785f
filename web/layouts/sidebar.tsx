import { useQuery } from "@tanstack/react-query";
import {
  BookOpen,
  Boxes,
  ChartColumn,
  ChartNoAxesCombined,
  ChevronsUpDown,
  Construction,
  Gauge,
  KeyRound,
  Layers,
  LayoutGrid,
  LogIn,
  LogOut,
  Megaphone,
  MessageSquare,
  Plug,
  ScrollText,
  Server,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
  Webhook,
} from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { TeamRole } from "../../src/core/entities.js";
import type { Me } from "../../src/protocol/dashboard/api.js";
import { Menu, MenuItem, MenuLabel, MenuLink, MenuSeparator } from "../components/controls/menu.tsx";
import { ThemeSwitch } from "../components/controls/theme-switch.tsx";
import { Logo } from "../components/frame/logo.tsx";
import { cx } from "../cx.ts";
import { FindButton } from "../find/finder.tsx";
import { useSignOut } from "../hooks/use-sign-out.ts";
import { useSpace, type Space, spaceOf } from "../hooks/use-space.ts";
import { mayHaveKeys, useTeam, teamQueries } from "../service/teams.ts";

const userLinks = [
  { href: "/app", label: "Overview", icon: <LayoutGrid /> },
  { href: "/app/keys", label: "Keys", icon: <KeyRound /> },
  { href: "/app/connect", label: "Connect", icon: <Plug /> },
  { href: "/app/usage", label: "Usage", icon: <ChartColumn /> },
  { href: "/app/playground", label: "Playground", icon: <MessageSquare /> },
  { href: "/app/limits", label: "Limits", icon: <Gauge /> },
  { href: "/app/account", label: "Account", icon: <UserRound /> },
  { href: "/app/security", label: "Security", icon: <ShieldCheck /> },
];

const teamLinks = ({ address }: Space, role: TeamRole | undefined) =>
  [
    { href: address(""), label: "Team", icon: <Users /> },
    { href: address("/keys"), label: "Keys", icon: <KeyRound />, needsKeys: true },
    { href: address("/usage"), label: "Usage", icon: <ChartColumn /> },
    { href: address("/playground"), label: "Playground", icon: <MessageSquare />, needsKeys: true },
    { href: address("/limits"), label: "Limits", icon: <Gauge /> },
  ].filter(({ needsKeys = false }) => !needsKeys || mayHaveKeys(role));

const adminLinks = [
  { href: "/admin/usage", label: "Service usage", icon: <ChartNoAxesCombined /> },
  { href: "/admin/accounts", label: "Accounts", icon: <UsersRound /> },
  { href: "/admin/teams", label: "Teams", icon: <Users /> },
  { href: "/admin/plans", label: "Plans", icon: <Layers /> },
  { href: "/admin/models", label: "Models", icon: <Boxes /> },
  { href: "/admin/engines", label: "Engines", icon: <Server /> },
  { href: "/admin/changelog", label: "Changelog", icon: <Megaphone /> },
  { href: "/admin/maintenance", label: "Maintenance", icon: <Construction /> },
  { href: "/admin/sign-in", label: "Single sign-on", icon: <LogIn /> },
  { href: "/admin/webhooks", label: "Webhooks", icon: <Webhook /> },
  { href: "/admin/audit", label: "Audit trail", icon: <ScrollText /> },
];

const adminPages = [...userLinks, ...adminLinks];

/** The pages that this account can open. */
export const pagesOf = (me: Me) => (me.account.role === "admin" ? adminPages : userLinks);

export function Sidebar({ me }: { me: Me }) {
  const space = useSpace();
  const { data: team } = useTeam(space.id);
  const links = space.id === null ? userLinks : teamLinks(space, team?.role);
  return (
    <nav aria-label="Dashboard" className="flex h-full flex-col px-3 py-4">
      <Link
        href="/app"
        aria-label="Sotto, overview"
        className="mb-5 flex self-start rounded-sm px-2.5 pt-1 short:mb-3"
      >
        <Logo />
      </Link>
      <SpaceSwitch space={space} />
      <FindButton />
      {/* Wider than its links, so that their focus rings are not clipped. */}
      <div className="-mx-1 flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto p-1 short:gap-0">
        {links.map((link) => (
          <SidebarLink key={link.href} href={link.href} label={link.label} icon={link.icon} />
        ))}
        {me.account.role === "admin" && (
          <>
            <p className="mt-6 mb-1 px-2.5 text-xs font-medium text-muted short:mt-3">Admin</p>
            {adminLinks.map((link) => (
              <SidebarLink key={link.href} {...link} />
            ))}
          </>
        )}
      </div>
      <div className="flex flex-col gap-0.5 pt-3">
        <SidebarLink href="/docs" label="Documentation" icon={<BookOpen />} />
        <div className="my-2 px-2 short:my-1">
          <ThemeSwitch />
        </div>
        <AccountMenu me={me} />
      </div>
    </nav>
  );
}

function SidebarLink({ href, label, icon }: { href: string; label: string; icon: ReactNode }) {
  const [path] = useLocation();
  // An account's page belongs to the list of accounts; every page is below the overview, or below its team.
  const isHome = href === "/app" || /^\/app\/teams\/[^/]+$/.test(href);
  const current = path === href || (!isHome && path.startsWith(`${href}/`));
  return (
    <Link
      href={href}
      aria-current={current ? "page" : undefined}
      className={cx(
        "flex h-9 shrink-0 items-center gap-3 short:h-8 rounded-md px-2.5 text-sm transition-colors [&>svg]:size-4",
        current ? "bg-accent-soft font-medium text-accent" : "text-muted hover:bg-hover hover:text-ink",
      )}
    >
      {icon}
      {label}
    </Link>
  );
}

function AccountMenu({ me }: { me: Me }) {
  const signOut = useSignOut();
  return (
    <Menu
      side="top"
      align="start"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md border border-line bg-surface px-2.5 py-2 text-left text-sm hover:border-edge"
        >
          <span className="sr-only">Account:</span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{me.account.email}</span>
            <span className="block truncate text-xs text-muted">{me.plan.name} plan</span>
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-muted" aria-hidden />
        </button>
      }
    >
      <MenuLabel>{me.account.role === "admin" ? "Signed in as admin" : "Signed in"}</MenuLabel>
      <MenuLink href="/app/account" icon={<UserRound />}>
        Account
      </MenuLink>
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

/** Switches between one's own account and the teams that one is in. Without a team there is nothing to switch. */
function SpaceSwitch({ space }: { space: Space }) {
  const { data } = useQuery(teamQueries.list);
  const teams = data?.teams ?? [];
  if (teams.length === 0) return null;
  const name = teams.find(({ id }) => id === space.id)?.name ?? (space.id === null ? "Personal" : "Team");
  return (
    <div className="mb-3 short:mb-2">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="flex w-full items-center gap-2.5 rounded-md border border-line bg-surface px-2.5 py-2 text-left text-sm hover:border-edge [&>svg]:size-4"
          >
            {space.id === null ? <UserRound aria-hidden /> : <Users aria-hidden />}
            <span className="sr-only">Space:</span>
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            <ChevronsUpDown className="shrink-0 text-muted" aria-hidden />
          </button>
        }
      >
        <MenuLabel>Switch to</MenuLabel>
        <MenuLink href="/app" icon={<UserRound />} isCurrent={space.id === null}>
          Personal
        </MenuLink>
        {teams.map((team) => (
          <MenuLink
            key={team.id}
            href={spaceOf(team.id).address("")}
            icon={<Users />}
            isCurrent={space.id === team.id}
          >
            <span className="max-w-60 truncate">{team.name}</span>
          </MenuLink>
        ))}
      </Menu>
    </div>
  );
}
