/** What opens over the pages of a team, and over those about teams. */
import type { Page } from "playwright-core";
import { asks, dialog, menu, openDialog, press, refused, type Opening } from "./opening.js";
import { chooseAction } from "./visit.js";

const member = "ada@example.com";

/** By the switch in the sidebar: the address has the team's id. */
async function toTeam(page: Page): Promise<void> {
  await press(page, /^Space:/);
  await page.getByRole("menuitem", { name: "Office" }).click();
  await page.getByRole("heading", { name: "Members" }).waitFor();
}

const inTeam =
  (open: Opening["open"]): Opening["open"] =>
  async (page, look) => {
    await toTeam(page);
    await open(page, look);
  };

export const teamOpenings: readonly Opening[] = [
  {
    name: "the switch of spaces",
    file: "layouts/sidebar.tsx",
    path: "/app",
    desk: true,
    open: menu(/^Space:/),
  },
  {
    name: "the menu of a member",
    file: "pages/app/team/team-members.tsx",
    path: "/app",
    open: inTeam(menu(`Actions for ${member}`)),
  },
  {
    name: "removing a member",
    file: "pages/app/team/team-members.tsx",
    path: "/app",
    open: inTeam(asks("Remove member", member, "Remove")),
  },
  {
    name: "the role of a member",
    file: "pages/app/team/team-members.tsx",
    path: "/app",
    open: inTeam(async (page, look) => {
      await chooseAction(page, member, "Change role");
      await dialog(page, "Change role");
      await look();
    }),
  },
  {
    name: "the limits of a member",
    file: "pages/app/team/team-members.tsx",
    path: "/app",
    open: inTeam(async (page, look) => {
      await chooseAction(page, member, "Change limits");
      await dialog(page, "Change limits");
      await page.getByLabel(/^Set lower limits/).check();
      await look();
    }),
  },
  {
    name: "an invitation into a team, refused and then made",
    file: "pages/app/team/team-invite-dialog.tsx",
    path: "/app",
    open: inTeam(async (page, look) => {
      await press(page, "Invite");
      await dialog(page, "Invite to Office");
      await page.getByLabel("Email").fill("nobody");
      await press(page, "Create link");
      await refused(page);
      await look();
      await page.getByLabel("Email").fill("");
      await press(page, "Create link");
      await page.getByRole("button", { name: "Done" }).waitFor();
      await look();
    }),
  },
  {
    name: "revoking an invitation into a team",
    file: "components/overlays/invitations.tsx",
    path: "/app",
    open: inTeam(asks("Revoke invitation", "Revoke the invitation for anyone")),
  },
  {
    name: "leaving a team",
    file: "pages/app/team/team-end.tsx",
    path: "/app",
    open: inTeam(asks("Leave team", "Leave team…")),
  },
  {
    name: "deleting a team",
    file: "pages/app/team/team-end.tsx",
    path: "/app",
    open: inTeam(asks("Delete team", "Delete team…")),
  },
  {
    name: "a new team that is refused",
    file: "pages/admin/teams.tsx",
    path: "/admin/teams",
    open: async (page, look) => {
      await openDialog(page, "Create team");
      await press(page, "Create team");
      await refused(page);
      await look();
    },
  },
  {
    name: "suspending a team as an admin",
    file: "pages/admin/team.tsx",
    path: "/admin/teams",
    open: async (page, look) => {
      await page.getByRole("link", { name: "Office" }).click();
      await page.getByRole("heading", { name: "Members" }).waitFor();
      await asks("Suspend team", "Suspend…")(page, look);
    },
  },
  {
    name: "deleting a team as an admin",
    file: "pages/admin/team.tsx",
    path: "/admin/teams",
    open: async (page, look) => {
      await page.getByRole("link", { name: "Office" }).click();
      await page.getByRole("heading", { name: "Members" }).waitFor();
      await asks("Delete team", "Delete…")(page, look);
    },
  },
];
