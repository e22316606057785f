/** Models as rows of usage name them. */
import { isModelId, type ModelId } from "../../../core/models.js";

/** Stands where others have the name of their model. */
export const noModel = "";

/** None for a model that this version does not know. */
export function toModel(model: string): (ModelId | null)[] {
  if (model === noModel) return [null];
  return isModelId(model) ? [model] : [];
}
