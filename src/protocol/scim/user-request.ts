/** Users as SCIM clients send them, whole and in operations. Names of people are not kept. */
import type { UserChange } from "../../core/scim/scim-users.js";
import {
  attributesOf,
  booleanOf,
  operationsOf,
  optionalTextOf,
  textOf,
  type Attributes,
} from "./attributes.js";

/** POST and PUT /Users */
export const readUser = (body: unknown): UserChange => changeOf(attributesOf(body));

/** PATCH /Users/:id */
export function readUserPatch(body: unknown): UserChange {
  let change: UserChange = {};
  for (const { op, path, value } of operationsOf(body)) {
    // `emails[type eq "work"].value`: there is one address.
    const name = path.replace(/\[[^\]]*\]/, "").toLowerCase();
    if (op === "remove") change = name === "externalid" ? { ...change, externalId: null } : change;
    else change = { ...change, ...changeOf(path === "" ? attributesOf(value) : new Map([[name, value]])) };
  }
  return change;
}

function changeOf(attributes: Attributes): UserChange {
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
