/** Users and groups as SCIM clients send them, whole and in operations. */
import type { GroupChange, MemberChange } from "../../core/scim/scim-groups.js";
import type { UserChange } from "../../core/scim/scim-users.js";
import {
  attributesOf,
  booleanOf,
  invalidPath,
  operationsOf,
  optionalTextOf,
  textOf,
  type Attributes,
  type PatchOperation,
} from "./attributes.js";

/** POST and PUT /Users. Names of people are not kept. */
export const readUser = (body: unknown): UserChange => userChange(attributesOf(body));

/** PATCH /Users/:id */
export function readUserPatch(body: unknown): UserChange {
  let change: UserChange = {};
  for (const { op, path, value } of operationsOf(body)) {
    // `emails[type eq "work"].value`: there is one address.
    const name = path.replace(/\[[^\]]*\]/, "").toLowerCase();
    if (op === "remove") change = name === "externalid" ? { ...change, externalId: null } : change;
    else change = { ...change, ...userChange(path === "" ? attributesOf(value) : new Map([[name, value]])) };
  }
  return change;
}

function userChange(attributes: Attributes): UserChange {
  const change: UserChange = {};
  for (const [name, value] of attributes) {
    if (name === "username") change.userName = textOf("userName", value);
    if (name === "externalid") change.externalId = optionalTextOf("externalId", value);
    if (name === "active") change.active = booleanOf("active", value);
    if (name === "emails.value") change.email = textOf("emails", value);
    if (name === "emails") {
      const email = emailIn(value);
      if (email !== null) change.email = email;
    }
  }
  return change;
}

/** The primary one, or the first; some clients send one alone in place of a list. */
function emailIn(value: unknown): string | null {
  if (typeof value === "string") return optionalTextOf("emails", value);
  const list = (Array.isArray(value) ? value : [value]).filter((item) => item != null).map(attributesOf);
  const chosen = list.find((email) => email.get("primary") === true) ?? list[0];
  return chosen === undefined ? null : optionalTextOf("emails", chosen.get("value"));
}

/** POST and PUT /Groups: the members that it names are all that there are. */
export const readGroup = (body: unknown): GroupChange => groupChange(attributesOf(body), "all");

/** PATCH /Groups/:id */
export function readGroupPatch(body: unknown): GroupChange {
  let all: GroupChange = {};
  for (const operation of operationsOf(body)) {
    const { members = [], ...change } = changeIn(operation);
    all = { ...all, ...change, members: [...(all.members ?? []), ...members] };
  }
  return all;
}

function changeIn({ op, path, value }: PatchOperation): GroupChange {
  const name = path.toLowerCase();
  if (name === "")
    return op === "remove" ? {} : groupChange(attributesOf(value), op === "add" ? "add" : "all");
  // Okta and Entra ID name whom to remove in the path, Entra ID also in the value.
  if (name.startsWith("members")) return { members: [membersIn(op, path, value)] };
  if (op === "remove") return name === "externalid" ? { externalId: null } : {};
  return groupChange(new Map([[name, value]]), "all");
}

function membersIn(op: PatchOperation["op"], path: string, value: unknown): MemberChange {
  const [, id] = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i.exec(path) ?? [];
  if (id !== undefined && op === "remove") return { type: "remove", ids: [id] };
  // A removal that is not understood must not pass for one that was done.
  if (path.toLowerCase() !== "members") throw invalidPath();
  if (op === "remove" && value == null) return { type: "all", ids: [] };
  return { type: op === "replace" ? "all" : op, ids: idsIn(value) };
}

function groupChange(attributes: Attributes, type: MemberChange["type"]): GroupChange {
  const change: GroupChange = {};
  for (const [name, value] of attributes) {
    if (name === "displayname") change.name = textOf("displayName", value);
    if (name === "externalid") change.externalId = optionalTextOf("externalId", value);
    if (name === "members") change.members = [{ type, ids: idsIn(value) }];
  }
  return change;
}

const idsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((member) => member != null)
    .map((member: unknown) =>
      textOf("members", typeof member === "string" ? member : attributesOf(member).get("value")),
    );
