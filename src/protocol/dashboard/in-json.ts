/** What a value of the core is once it was sent: times are texts. */
export type InJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? InJson<Item>[]
    : T extends object
      ? { [Name in keyof T]: InJson<T[Name]> }
      : T;
