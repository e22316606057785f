/** Changes for people: `+` is created, `~` changed, `-` deleted. */
import { paint } from "../terminal.js";
import type { FieldChange } from "./sections/differences.js";
import { Secret } from "./sections/secret.js";
import type { Change } from "./sections/section.js";

const signs = { create: "+", change: "~", delete: "-" } as const;
const colours = { create: "green", change: "yellow", delete: "red" } as const;

export function describeChanges(changes: readonly Change[]): string {
  return changes
    .flatMap(({ type, kind, name, fields }) => [
      paint(colours[type], `${signs[type]} ${[kind, name].filter((text) => text !== "").join(" ")}`),
      ...fields.map((field) => `    ${fieldText(field)}`),
    ])
    .join("\n");
}

/** Such as `1 created, 2 changed`. */
export function countChanges(changes: readonly Change[], words: Record<Change["type"], string>): string {
  const count = (type: Change["type"]) => changes.filter((change) => change.type === type).length;
  return (["create", "change", "delete"] as const)
    .filter((type) => count(type) > 0)
    .map((type) => `${count(type)} ${words[type]}`)
    .join(", ");
}

function fieldText({ field, from, to }: FieldChange): string {
  if (from instanceof Secret && to instanceof Secret) return `${field}: another secret`;
  if (from === undefined) return `${field}: ${text(to)}`;
  return to === undefined ? `${field}: ${text(from)} (removed)` : `${field}: ${text(from)} → ${text(to)}`;
}

const text = (value: unknown): string =>
  value instanceof Secret ? value.toJSON() : typeof value === "string" ? value : JSON.stringify(value);

export const changeJson = ({ type, kind, name, fields }: Change) => ({ type, kind, name, fields });
