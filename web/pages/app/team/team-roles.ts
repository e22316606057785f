import type { TeamRole } from "../../../../src/core/entities.js";

/** What each may do, as a hint beside the choice. */
export const roleHints: Record<TeamRole, string> = {
  owner: "Manages everything, and may delete the team.",
  admin: "Manages members, invitations and all keys.",
  member: "Uses keys of their own and the playground, and sees the team’s total usage.",
  viewer: "Sees the team’s usage, by member and key. Has no keys.",
};

const names: Record<TeamRole, string> = {
  owner: "Owner",
  admin: "Admin",
  member: "Member",
  viewer: "Viewer",
};

export const roleName = (role: TeamRole): string => names[role];

const mine: Record<TeamRole, string> = {
  owner: "You are an owner of this team: you manage everything and may delete it.",
  admin: "You are an admin of this team: you manage its members, invitations and keys.",
  member:
    "You are a member of this team: you use keys of your own and the playground, and see its total usage.",
  viewer: "You are a viewer of this team: you see its usage, by member and key.",
};

export const roleSentence = (role: TeamRole): string => `${mine[role]} All of its keys share its limits.`;

/** The roles that someone may give: only owners decide about owners. */
export const rolesToGive = (by: TeamRole) =>
  (["owner", "admin", "member", "viewer"] as const)
    .filter((role) => by === "owner" || role !== "owner")
    .map((role) => ({ value: role, label: names[role] }));

export const isRole = (text: string): text is TeamRole => text in names;
