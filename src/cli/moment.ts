import { InvalidArgumentError } from "commander";

/**
 * A time such as `2026-01-31T09:00Z` or `2026-01-31 09:00`: reads an option's value for commander. Without a
 * zone it is UTC, as in everything the commands print.
 */
export function parseMoment(text: string): Date {
  const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?$/;
  const [, day = "", clock = "", zone = "Z"] = pattern.exec(text.trim()) ?? [];
  const moment = new Date(`${day}T${clock}${zone}`);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError("Write a time such as 2026-01-31T09:00Z; without a zone it is UTC.");
}
