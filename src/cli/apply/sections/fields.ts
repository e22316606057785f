export type Fields = Readonly<Record<string, unknown>>;

/** A plain object, as YAML's maps become. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
