/** Roles in a team, and what each may do. */
import type { TeamRole } from "../entities.js";

/**
 * `own_keys`: create keys of one's own. `all_keys`: those of others and service keys too. `usage`: in sums.
 * `usage_parts`: by member and key. `manage`: members, invitations and settings. `secure`: networks and second factors.
 */
export type TeamRight = "usage" | "usage_parts" | "own_keys" | "all_keys" | "manage" | "secure" | "delete";

const rights: Readonly<Record<TeamRole, readonly TeamRight[]>> = {
  owner: ["usage", "usage_parts", "own_keys", "all_keys", "manage", "secure", "delete"],
  admin: ["usage", "usage_parts", "own_keys", "all_keys", "manage"],
  member: ["usage", "own_keys"],
  viewer: ["usage", "usage_parts"],
};

export const hasRight = (role: TeamRole, right: TeamRight): boolean => rights[role].includes(right);

/** Whether someone in the role `by` may give and take these roles: only owners decide about owners. */
export const mayDecideOn = (by: TeamRole, ...roles: readonly TeamRole[]): boolean =>
  hasRight(by, "manage") && (by === "owner" || !roles.includes("owner"));
