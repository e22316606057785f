/**
 * Which models may answer for another while its engine is down or its queue is full. The operator names one substitute
 * for a model; that one may have its own. There is no circle: the configuration is refused where there would be.
 */
import { ServiceError } from "../errors.js";
import { type ModelId, modelIds } from "../models.js";

export type Substitutes = Readonly<Partial<Record<ModelId, ModelId | undefined>>>;

/** In the order in which they are tried. */
export function substitutesOf(model: ModelId, substitutes: Substitutes): ModelId[] {
  const chain: ModelId[] = [];
  for (let next = substitutes[model]; next !== undefined; next = substitutes[next]) {
    if (next === model || chain.includes(next)) break;
    chain.push(next);
  }
  return chain;
}

/** Whether following the substitutes of a model leads back to one that was tried already. */
export const hasCircle = (substitutes: Substitutes): boolean =>
  modelIds.some((model) => substitutes[substitutesOf(model, substitutes).at(-1) ?? model] !== undefined);

/** Another model may do better: this one's engine is down, or has too much to do. */
export const isSubstitutable = (error: unknown): boolean =>
  error instanceof ServiceError && (error.code === "engine_unavailable" || error.code === "overloaded");
