/** Groups as SCIM clients send them, whole and in operations. */
import type { GroupChange, MemberChange } from "../../core/scim/scim-groups.js";
import {
  attributesOf,
  invalidPath,
  operationsOf,
  optionalTextOf,
  textOf,
  type Attributes,
  type PatchOperation,
} from "./attributes.js";

/** POST and PUT /Groups: the members that it names are all that there are. */
export const readGroup = (body: unknown): GroupChange => changeOf(attributesOf(body), "all");

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
  if (name === "") return op === "remove" ? {} : changeOf(attributesOf(value), op === "add" ? "add" : "all");
  // Okta and Entra ID name whom to remove in the path, Entra ID also in the value.
  if (name.startsWith("members")) return { members: [membersIn(op, path, value)] };
  if (op === "remove") return name === "externalid" ? { externalId: null } : {};
  return changeOf(new Map([[name, value]]), "all");
}

function membersIn(op: PatchOperation["op"], path: string, value: unknown): MemberChange {
  const [, id] = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/i.exec(path) ?? [];
  if (id !== undefined && op === "remove") return { type: "remove", ids: [id] };
  // A removal that is not understood must not pass for one that was done.
  if (path.toLowerCase() !== "members") throw invalidPath();
  if (op === "remove" && value == null) return { type: "all", ids: [] };
  return { type: op === "replace" ? "all" : op, ids: idsIn(value) };
}

function changeOf(attributes: Attributes, type: MemberChange["type"]): GroupChange {
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
