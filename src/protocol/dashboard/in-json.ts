/** What a value of the core is once it was sent: times are texts. */
export type InJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? InJson<Item>[]
    : T extends object
      ? { [Name in keyof T]: InJson<T[Name]> }
      : T;

/** The named fields of a value as they are sent. What is not named stays here, whatever the value has. */
export function fieldsInJson<T extends object, Name extends keyof T & string>(
  value: T,
  ...names: Name[]
): InJson<Pick<T, Name>>;
export function fieldsInJson(value: object, ...names: string[]): unknown {
  const named = Object.entries(value).filter(([name]) => names.includes(name));
  return JSON.parse(JSON.stringify(Object.fromEntries(named))) as unknown;
}
