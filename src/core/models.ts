/** The three models of the specification, in the order in which they are listed. */
export const modelIds = ["omega", "prism", "lambda"] as const;
export type ModelId = (typeof modelIds)[number];

export function isModelId(value: string): value is ModelId {
  return (modelIds as readonly string[]).includes(value);
}
