/**
 * A section with a name for each entry, such as plans. What an entry does not mention stays as it is, and has its default in
 * a new one. Entries that the file does not mention stay, unless the section is pruned.
 */
import type * as z from "zod";
import { differences, type FieldChange, type Fields, isFields } from "./fields.js";
import { type Change, type Reading, reportIssues, type Section } from "./section.js";

export interface Keyed<Entry extends object> {
  name: string;
  /** What one of them is called, such as `plan`. */
  kind: string;
  schema: z.ZodType<Entry>;
  /** Those that there are, by the name that the file has for each. */
  read: () => Promise<ReadonlyMap<string, Entry>>;
  /** The same name for all ways to write it. */
  nameOf?: (given: string) => string;
  /** What a new one has where the file says nothing. */
  fresh?: (name: string) => Fields;
  /** What the file says over what there is; by default field by field. */
  merge?: (before: Entry | undefined, given: Fields, name: string, reading: Reading) => Fields;
  save: (name: string, entry: Entry, before: Entry | undefined) => Promise<void>;
  remove: (name: string) => Promise<unknown>;
  isPruned?: (name: string) => boolean;
  losses?: (name: string) => Promise<FieldChange[]>;
  /** As the file has it. */
  shown?: (name: string, entry: Entry) => Fields;
}

export function keyedSection<Entry extends object>(keyed: Keyed<Entry>): Section {
  const { name: section, kind } = keyed;

  const changes = async (given: unknown, reading: Reading): Promise<Change[]> => {
    if (!isFields(given))
      return reading.problem([section], `Write the name of each ${kind} and what it has.`);
    const current = await keyed.read();
    const mentioned = new Map<string, string>();
    const saved = Object.entries(given).flatMap(([written, fields]): Change[] => {
      const name = keyed.nameOf?.(written) ?? written;
      const path = [section, written];
      const same = mentioned.get(name);
      if (same !== undefined) return reading.problem(path, `This is the same ${kind} as '${same}'.`);
      mentioned.set(name, written);
      const before = current.get(name);
      const entry = entryOf(name, fields, before, path, reading);
      if (entry === undefined) return [];
      const fieldChanges = differences(before, entry);
      if (fieldChanges.length === 0) return [];
      const run = () => keyed.save(name, entry, before);
      return before === undefined
        ? [{ type: "create", kind, name, path, fields: fieldChanges.filter(isSet), run }]
        : [{ type: "change", kind, name, path, fields: fieldChanges, run }];
    });
    return reading.prune ? [...saved, ...(await pruned(current, mentioned))] : saved;
  };

  const entryOf = (
    name: string,
    fields: unknown,
    before: Entry | undefined,
    path: string[],
    reading: Reading,
  ): Entry | undefined => {
    const given = fields ?? {};
    const base = before ?? keyed.fresh?.(name) ?? {};
    const merge = keyed.merge ?? ((_, those) => those);
    const merged = isFields(given) ? { ...base, ...merge(before, given, name, reading) } : given;
    const { data, error } = keyed.schema.safeParse(merged);
    if (error !== undefined) reportIssues(path, error.issues, reading);
    return data;
  };

  const pruned = async (
    current: ReadonlyMap<string, Entry>,
    mentioned: ReadonlyMap<string, string>,
  ): Promise<Change[]> => {
    const gone = [...current.keys()].filter(
      (name) => !mentioned.has(name) && (keyed.isPruned?.(name) ?? true),
    );
    return Promise.all(
      gone.map(async (name) => ({
        ...{ type: "delete" as const, kind, name, path: [section, name] },
        fields: (await keyed.losses?.(name)) ?? [],
        run: () => keyed.remove(name),
      })),
    );
  };

  return {
    current: async () => {
      const entries = [...(await keyed.read())].map(([name, entry]): [string, unknown] => [
        name,
        keyed.shown?.(name, entry) ?? entry,
      ]);
      return entries.length === 0 ? undefined : Object.fromEntries<unknown>(entries);
    },
    changes,
  };
}

/** What a new one does not have need not be shown. */
const isSet = ({ to }: FieldChange): boolean => Boolean(to) && !(Array.isArray(to) && to.length === 0);

/** By name, or by id where the name is not unique. */
export function byNameOrId<T extends { id: string }>(
  items: readonly T[],
  nameOf: (item: T) => string,
): Map<string, T> {
  const names = items.map(nameOf);
  const isUnique = (name: string) => names.filter((other) => other === name).length === 1;
  return new Map(items.map((item) => [isUnique(nameOf(item)) ? nameOf(item) : item.id, item]));
}
