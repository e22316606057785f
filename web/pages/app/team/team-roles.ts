import type { TeamRole } from "../../../../src/core/entities.js";

const may: Record<TeamRole, string> = {
  owner: "manages everything, and may delete the team",
  admin: "manages members, invitations and all keys",
  member: "creates keys and sees the team's usage in sums",
  viewer: "sees the team's usage",
};

const names: Record<TeamRole, string> = {
  owner: "Owner",
  admin: "Admin",
  member: "Member",
  viewer: "Viewer",
};

export const roleName = (role: TeamRole): string => names[role];

export const roleSentence = (role: TeamRole): string =>
  `Your role here is ${role}: it ${may[role]}. Limits and usage are shared by all keys of the team.`;

/** The roles that someone may give: only owners decide about owners. */
export const rolesToGive = (by: TeamRole) =>
  (["owner", "admin", "member", "viewer"] as const)
    .filter((role) => by === "owner" || role !== "owner")
    .map((role) => ({ value: role, label: `${names[role]}: ${may[role]}` }));

export const isRole = (text: string): text is TeamRole => text in names;
