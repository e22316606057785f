/** The three models of the specification, in the order in which they are listed. */
export const modelIds = ["omega", "prism", "lambda"] as const;
export type ModelId = (typeof modelIds)[number];

export const forEachModel = <T>(valueOf: (model: ModelId) => T): Record<ModelId, T> => ({
  omega: valueOf("omega"),
  prism: valueOf("prism"),
  lambda: valueOf("lambda"),
});

export function isModelId(value: string): value is ModelId {
  return (modelIds as readonly string[]).includes(value);
}
