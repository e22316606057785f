/** The filters that Okta and Entra ID look users and groups up with: one attribute, compared with `eq`. */
import { DashboardError } from "../../core/dashboard-error.js";
import type { GroupFilter, UserFilter } from "../../core/scim/ports.js";
import { withoutSchema } from "./attributes.js";

const ofUsers: Readonly<Record<string, UserFilter["attribute"]>> = {
  id: "id",
  username: "userName",
  externalid: "externalId",
  emails: "email",
  "emails.value": "email",
};

const ofGroups: Readonly<Record<string, GroupFilter["attribute"]>> = {
  id: "id",
  displayname: "displayName",
  externalid: "externalId",
};

/** A bound for what the expression below has to try. */
const longestFilter = 1_000;
const comparison = /^\s*(\S.*?)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

/** Null where all are asked for. Throws for what is not supported, since leaving it out would answer something else. */
export const userFilterOf = (text: string | undefined): UserFilter | null => filterOf(text, ofUsers);
export const groupFilterOf = (text: string | undefined): GroupFilter | null => filterOf(text, ofGroups);

function filterOf<Attribute>(
  text: string | undefined,
  attributes: Readonly<Record<string, Attribute>>,
): { attribute: Attribute; value: string } | null {
  if (text === undefined || text.trim() === "") return null;
  const found = text.length > longestFilter ? null : comparison.exec(text);
  const [, path = "", quoted = ""] = found ?? [];
  // Which of the addresses is meant makes no difference: there is one.
  const name = withoutSchema(path)
    .replace(/\[[^\]]*\]/, "")
    .toLowerCase();
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  const value = unquoted(quoted);
  if (attribute !== undefined && value !== null) return { attribute, value };
  throw new DashboardError(
    "bad_request",
    `Filters may compare one of ${Object.keys(attributes).join(", ")} with eq.`,
    { field: "filter" },
  );
}

function unquoted(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
