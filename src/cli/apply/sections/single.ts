/** A section that is one entry, such as the operator's details. What it does not mention stays as it is. */
import type * as z from "zod";
import { differences, isFields } from "./fields.js";
import { reportIssues, type Section } from "./section.js";

export interface Single<Entry extends object> {
  name: string;
  kind: string;
  schema: z.ZodType<Entry>;
  read: () => Promise<Entry>;
  save: (entry: Entry) => Promise<unknown>;
  /** What is exported; by default what was read. */
  shown?: () => Promise<object | undefined>;
}

export function singleSection<Entry extends object>(single: Single<Entry>): Section {
  const { name, kind, schema, read, save, shown = read } = single;
  return {
    current: shown,
    changes: async (given, reading) => {
      const before = await read();
      const { data, error } = schema.safeParse(isFields(given) ? { ...before, ...given } : given);
      if (error !== undefined) reportIssues([name], error.issues, reading);
      if (data === undefined) return [];
      const fields = differences(before, data);
      if (fields.length === 0) return [];
      return [{ type: "change", kind, name: "", path: [name], fields, run: () => save(data) }];
    },
  };
}
